import type * as ort from "onnxruntime-web/wasm";
import { AccelerateError } from "../protocol/errors.ts";
import type { Tensor } from "../protocol/tensor.ts";
import type {
  Backend,
  CreateOptions,
  DeviceTensor,
  ExternalWeight,
  LoadedModel,
} from "./backend.ts";
import type { Device } from "./device.ts";
import { ortView } from "./dtypes.ts";
import { operatorsOf } from "./operators.ts";
import { OrtModel } from "./ort-model.ts";
import { OrtTensor } from "./ort-tensor.ts";
import { onCpu, placementsOf } from "./placements.ts";
import type { Runtime } from "./runtime.ts";
import { WeightReader } from "./weights.ts";

type Options = ort.InferenceSession.SessionOptions;

/** onnxruntime-web on one of its platforms. */
export class OrtBackend implements Backend {
  private readonly runtime: Runtime;
  private readonly device: Device;

  constructor(runtime: Runtime, device: Device) {
    this.runtime = runtime;
    this.device = device;
  }

  get platform(): string {
    return this.device.platform;
  }

  get broken(): boolean {
    return this.runtime.broken;
  }

  async create(
    graph: Uint8Array,
    weights: readonly ExternalWeight[],
    options: CreateOptions,
  ): Promise<LoadedModel> {
    const [ort, kind] = await Promise.all([this.runtime.start(this.platform), this.device.open()]);
    const reader = new WeightReader(weights);
    const make = (how: Options) =>
      this.runtime.guard("model_invalid", "The model can't be made ready", () =>
        this.device.creating(() =>
          ort.InferenceSession.create(graph, {
            ...this.sessionOptions(options),
            ...how,
            externalData: reader.files,
          }),
        ),
      );
    try {
      const [session, fellBack] = await this.place(graph, make, options.fallback);
      return new OrtModel(this.runtime, this.device, kind, session, fellBack);
    } catch (cause) {
      if (!this.runtime.broken) await this.device.failed(ort);
      throw reader.failure ?? cause;
    } finally {
      reader.free();
    }
  }

  async upload(tensor: Tensor): Promise<OrtTensor> {
    const ort = await this.runtime.start(this.platform);
    const [type, data] = ortView(tensor);
    const held = new ort.Tensor(type, data as ort.Tensor.DataType, tensor.shape);
    return new OrtTensor(held, this.device);
  }

  async adopt(tensor: DeviceTensor): Promise<DeviceTensor> {
    const { dtype, shape } = tensor;
    const location = tensor instanceof OrtTensor ? tensor.location : undefined;
    if (location === this.device.location) return tensor;
    const near =
      location === "cpu"
        ? (tensor as OrtTensor)
        : await this.upload({ dtype, shape, data: await tensor.read() });
    const stays = this.device.location === "cpu" || !this.device.holds(near.ort.type);
    if (stays || shape.includes(0)) return near;
    const ort = await this.runtime.start(this.platform);
    const placed = new OrtTensor(await this.device.place(ort, near.ort), this.device);
    if (near !== tensor) near.dispose();
    return placed;
  }

  async own(tensor: DeviceTensor): Promise<DeviceTensor> {
    if (!(tensor instanceof OrtTensor) || tensor.location !== "gpu-buffer") return tensor;
    const ort = await this.runtime.start(this.platform);
    const copy = new OrtTensor(await this.device.own(ort, tensor.ort), this.device);
    tensor.dispose();
    return copy;
  }

  settle(): Promise<void> {
    return this.device.settle();
  }

  /** A session without fallback where there can be one; else what is missing is named. */
  private async place(
    graph: Uint8Array,
    make: (how: Options) => Promise<ort.InferenceSession>,
    fallback: boolean,
  ): Promise<[ort.InferenceSession, readonly string[]]> {
    if (this.device.location === "cpu") return [await make({}), []];
    try {
      return [await this.located(make, NO_FALLBACK), []];
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
    }
    const [session, log] = await placementsOf(() => this.located(make, { logSeverityLevel: 0 }));
    const operators = onCpu(log)?.filter((name) => !this.device.onHost.has(name));
    if (operators && !operators.length) return [session, operators];
    await session.release();
    const lacked = operators ?? operatorsOf(graph);
    if (!fallback) throw lacking(this.platform, lacked);
    return [await this.located(make, {}), lacked];
  }

  /**
   * Outputs stay on the device, save those of types that it can't hold, and those that it does not
   * make: tried, such a one arrives as zeros where WebNN is to hold it.
   */
  private async located(
    make: (how: Options) => Promise<ort.InferenceSession>,
    how: Options,
  ): Promise<ort.InferenceSession> {
    const { location } = this.device;
    const session = await make({ ...how, preferredOutputLocation: location });
    const ports = session.outputMetadata.filter((port) => port.isTensor);
    const stays = (port: (typeof ports)[number]) =>
      this.device.holds(port.type) && this.device.makes(port.name);
    if (ports.every(stays)) return session;
    const places = ports.map((port) => [port.name, stays(port) ? location : "cpu"] as const);
    await session.release();
    return make({ ...how, preferredOutputLocation: Object.fromEntries(places) });
  }

  private sessionOptions({ dimensions }: CreateOptions): Options {
    return {
      executionProviders: [this.device.providerOption()],
      freeDimensionOverrides: dimensions,
      graphOptimizationLevel: "all",
      logSeverityLevel: 3,
      // Measured on MiniLM: neither changes the settled memory (0.86 of the weights) nor the time.
      enableCpuMemArena: false,
      enableMemPattern: false,
    };
  }
}

const NO_FALLBACK: Options = { extra: { session: { disable_cpu_ep_fallback: "1" } } };

/** How onnxruntime says that a node can't run on the device, when none may run beside it. */
const REFUSALS = [
  /fallback to CPU EP has been explicitly disabled/,
  /Provider type for \w+ node with name '.*' is not set/,
];

function isRefusal(cause: unknown): boolean {
  return cause instanceof Error && REFUSALS.some((words) => words.test(cause.message));
}

function lacking(platform: string, operators: readonly string[]): AccelerateError {
  return new AccelerateError(
    "operator_unsupported",
    `${platform} lacks operators of this model, or lacks them for its types and shapes: ${operators.join(", ")}.`,
    { platform, operators: [...operators] },
  );
}
