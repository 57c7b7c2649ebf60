import type * as ort from "onnxruntime-web/wasm";
import { probeWebNn } from "../probe/webnn.ts";
import { AccelerateError } from "../protocol/errors.ts";
import type { Device } from "./device.ts";
import { bytesOf } from "./ort-tensor.ts";
import { readbacks } from "./readbacks.ts";
import type { OrtModule } from "./runtime.ts";
import { tinyModel } from "./tiny-model.ts";

/** The part of WebNN that is used here; TypeScript's own library does not have it. */
interface WebNnTensor {
  readonly dataType: string;
  destroy(): void;
}
interface WebNnContext {
  createTensor(descriptor: object): Promise<WebNnTensor>;
  writeTensor(tensor: WebNnTensor, data: ArrayBufferView): void;
  readTensor(tensor: WebNnTensor): Promise<ArrayBuffer>;
  opSupportLimits(): { input: { dataTypes: string[] } };
}
interface WithWebNn {
  ml: { createContext(options: { deviceType: string }): Promise<WebNnContext> };
}

interface WithBuilder {
  MLGraphBuilder: { prototype: { build(outputs: Record<string, object>): Promise<object> } };
}

type DeviceType = "cpu" | "gpu" | "npu";
/** WebNN has no booleans: onnxruntime keeps them as bytes. */
const typeOf = (type: string) => (type === "bool" ? "uint8" : type);

/** An NPU, a GPU or the CPU, by WebNN: one context of this realm, whose tensors its sessions share. */
export class WebNnDevice implements Device {
  readonly platform = "webnn";
  readonly onHost = new Set<string>();
  readonly location = "ml-tensor";
  private opened: Promise<DeviceType> | undefined;
  private device: DeviceType = "cpu";
  private context: WebNnContext | undefined;
  private types = new Set<string>();
  private readonly built = new Set<string>();
  private making = false;
  private refusal: AccelerateError | undefined;

  open(): Promise<string> {
    this.opened ??= this.openNow();
    return this.opened;
  }

  providerOption(): ort.InferenceSession.ExecutionProviderConfig {
    const context = this.ml as unknown as never;
    return { name: "webnn", deviceType: this.device, context };
  }

  /**
   * The browser may refuse a graph that onnxruntime took for one that it can build. onnxruntime
   * waits for ever then, so it is given nothing in place of an error, which it takes for a failure.
   */
  async creating<T>(make: () => Promise<T>): Promise<T> {
    this.built.clear();
    this.refusal = undefined;
    this.making = true;
    try {
      return await make();
    } catch (cause) {
      throw this.refusal ?? cause;
    } finally {
      this.making = false;
    }
  }

  /**
   * A session that can't be made leaves onnxruntime in the middle of making it, and the runs of all
   * others fail; one that can be made ends that.
   */
  async failed(ort: OrtModule): Promise<void> {
    const executionProviders = [this.providerOption()];
    const make = () => ort.InferenceSession.create(tinyModel(), { executionProviders });
    await (await this.creating(make)).release();
  }

  /** An output that is constant, or that the CPU makes, is none of a graph's of WebNN. */
  makes(output: string): boolean {
    return this.built.has(output);
  }

  holds(type: ort.Tensor.Type): boolean {
    return this.types.has(typeOf(type));
  }

  async place(ort: OrtModule, tensor: ort.Tensor): Promise<ort.Tensor> {
    const { dims, type } = tensor;
    const how = { dataType: typeOf(type), shape: dims, readable: true, writable: true };
    const held = await this.ml.createTensor(how);
    this.ml.writeTensor(held, bytesOf(tensor));
    return ort.Tensor.fromMLTensor(held as unknown as ort.Tensor.MLTensorType, {
      dataType: type as ort.Tensor.MLTensorDataTypes,
      dims,
      dispose: () => held.destroy(),
    });
  }

  async own(_ort: OrtModule, tensor: ort.Tensor): Promise<ort.Tensor> {
    return tensor;
  }

  async read(tensor: ort.Tensor): Promise<Uint8Array> {
    const held = tensor.mlTensor as unknown as WebNnTensor;
    if (held.dataType === typeOf(tensor.type))
      return new Uint8Array(await this.ml.readTensor(held));
    // onnxruntime keeps 64-bit integers as 32-bit ones where the device has no others.
    await tensor.getData();
    return bytesOf(tensor);
  }

  async settle(): Promise<void> {}

  /** Hears which outputs are built into graphs, and why one is not: onnxruntime keeps it to itself. */
  private watchBuilds(): void {
    const noted = (outputs: Record<string, object>, graph: Promise<object>) =>
      this.noted(Object.keys(outputs), graph);
    const { prototype } = (globalThis as unknown as WithBuilder).MLGraphBuilder;
    const { build } = prototype;
    prototype.build = function (this: object, outputs: Record<string, object>) {
      return noted(outputs, build.call(this, outputs));
    };
  }

  private async noted(outputs: string[], graph: Promise<object>): Promise<object> {
    for (const name of outputs) this.built.add(name);
    try {
      return await graph;
    } catch (cause) {
      // Only onnxruntime's own builds: a probe's hears of its error as ever.
      if (!this.making) throw cause;
      this.refusal ??= refusal(cause);
      return undefined as unknown as object;
    }
  }

  private get ml(): WebNnContext {
    if (this.context) return this.context;
    throw new AccelerateError("run_failed", "The WebNN context is used before it was opened.");
  }

  private async openNow(): Promise<DeviceType> {
    const { device, about } = await probeWebNn(false);
    if (device === "none") throw new AccelerateError("platform_unavailable", `WebNN: ${about}.`);
    this.device = device as DeviceType;
    this.context = await (navigator as unknown as WithWebNn).ml.createContext({
      deviceType: this.device,
    });
    readbacks.watch(Object.getPrototypeOf(this.context), "readTensor");
    this.watchBuilds();
    this.types = new Set(this.context.opSupportLimits().input.dataTypes);
    return this.device;
  }
}

/** What a device lacks is told by these; anything else is a failure. */
const LACKS = new Set(["NotSupportedError", "TypeError"]);

function refusal(cause: unknown): AccelerateError {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  const code = LACKS.has(name) ? "operator_unsupported" : "model_invalid";
  const text = `WebNN refuses the model's graph: ${message}`;
  return new AccelerateError(code, text, { platform: "webnn" });
}
