import * as ort from "onnxruntime-web/wasm";
import { AccelerateError } from "../protocol/errors.ts";
import type { Port } from "../protocol/generated/messages.ts";
import type { Dtype, Tensor } from "../protocol/tensor.ts";
import type { Backend, DeviceTensor, ExternalWeight, LoadedModel } from "./backend.ts";
import { ortView, wireDtype, wireName } from "./dtypes.ts";
import { failure, isFatal } from "./failures.ts";
import { tinyModel } from "./tiny-model.ts";
import { WeightReader } from "./weights.ts";

const PLATFORM = "wasm";
const DEVICE = "cpu";

/** Where onnxruntime's own files lie, and how many threads it gets. */
export interface WasmOptions {
  readonly mjs: string;
  readonly wasm: string;
  readonly threads: number;
}

/** onnxruntime-web on WASM. Its environment is the Worker's own, so there is one of these in each. */
export class WasmBackend implements Backend {
  readonly platform = PLATFORM;
  broken = false;
  private started: Promise<void> | undefined;
  private readonly options: WasmOptions;

  constructor(options: WasmOptions) {
    this.options = options;
  }

  start(): Promise<void> {
    this.started ??= this.compile();
    return this.started;
  }

  async create(graph: Uint8Array, weights: readonly ExternalWeight[]): Promise<LoadedModel> {
    await this.start();
    const reader = new WeightReader(weights);
    const options = { ...SESSION_OPTIONS, externalData: reader.files };
    try {
      const session = await this.guard("model_invalid", "The model can't be made ready", () =>
        ort.InferenceSession.create(graph, options),
      );
      return new WasmModel(this, session);
    } catch (cause) {
      throw reader.failure ?? cause;
    } finally {
      reader.free();
    }
  }

  upload(tensor: Tensor): DeviceTensor {
    const [type, data] = ortView(tensor);
    return new WasmTensor(new ort.Tensor(type, data as ort.Tensor.DataType, tensor.shape));
  }

  /** Runs a call of onnxruntime, and says in our words what it says in its own. */
  async guard<T>(
    code: "model_invalid" | "run_failed",
    what: string,
    call: () => Promise<T>,
  ): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      this.broken ||= isFatal(cause);
      throw failure(code, what, cause);
    }
  }

  private async compile(): Promise<void> {
    ort.env.logLevel = "error";
    ort.env.wasm.numThreads = this.options.threads;
    ort.env.wasm.wasmPaths = { mjs: this.options.mjs, wasm: this.options.wasm };
    try {
      const session = await ort.InferenceSession.create(tinyModel(), SESSION_OPTIONS);
      await session.release();
    } catch (cause) {
      this.broken = true;
      throw failure("model_invalid", "onnxruntime-web did not start", cause);
    }
  }
}

const SESSION_OPTIONS: ort.InferenceSession.SessionOptions = {
  executionProviders: [PLATFORM],
  graphOptimizationLevel: "all",
  logSeverityLevel: 3,
  // Measured on MiniLM: neither changes the settled memory (0.86 of the weights) nor the time.
  enableCpuMemArena: false,
  enableMemPattern: false,
};

class WasmModel implements LoadedModel {
  readonly backend = PLATFORM;
  readonly device = DEVICE;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  private readonly owner: WasmBackend;
  private readonly session: ort.InferenceSession;

  constructor(owner: WasmBackend, session: ort.InferenceSession) {
    this.owner = owner;
    this.session = session;
    this.inputs = session.inputMetadata.map(portOf);
    this.outputs = session.outputMetadata.map(portOf);
  }

  async run(
    inputs: ReadonlyMap<string, DeviceTensor>,
    outputs: readonly string[],
  ): Promise<Map<string, DeviceTensor>> {
    const feeds: Record<string, ort.Tensor> = {};
    for (const [name, tensor] of inputs) feeds[name] = ortTensorOf(tensor);
    const results = await this.owner.guard("run_failed", "The run failed", () =>
      outputs.length ? this.session.run(feeds, outputs) : this.session.run(feeds),
    );
    return new Map(Object.entries(results).map(([name, tensor]) => [name, new WasmTensor(tensor)]));
  }

  release(): Promise<void> {
    return this.session.release();
  }
}

/** A tensor in the Worker's own memory, which is where WASM's tensors live between steps. */
class WasmTensor implements DeviceTensor {
  readonly dtype: Dtype;
  readonly ort: ort.Tensor;

  constructor(tensor: ort.Tensor) {
    this.dtype = wireDtype(tensor.type);
    this.ort = tensor;
  }

  get shape(): readonly number[] {
    return this.ort.dims;
  }

  async read(): Promise<Uint8Array> {
    const { buffer, byteOffset, byteLength } = this.ort.data as Exclude<
      ort.Tensor.DataType,
      string[]
    >;
    return new Uint8Array(buffer, byteOffset, byteLength);
  }

  dispose(): void {
    this.ort.dispose();
  }
}

function ortTensorOf(tensor: DeviceTensor): ort.Tensor {
  if (tensor instanceof WasmTensor) return tensor.ort;
  throw new AccelerateError("run_failed", "A tensor of another backend was given to WASM.");
}

function portOf(port: ort.InferenceSession.ValueMetadata): Port {
  if (!port.isTensor) return { name: port.name, dtype: "OTHER", shape: [] };
  const shape = port.shape.map((length) =>
    typeof length === "number" && length < 0 ? null : length || (length === 0 ? 0 : null),
  );
  return { name: port.name, dtype: wireName(port.type), shape };
}
