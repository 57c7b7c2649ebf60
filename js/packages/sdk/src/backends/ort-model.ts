import type * as ort from "onnxruntime-web/wasm";
import type { Port } from "../protocol/generated/messages.ts";
import type { DeviceTensor, LoadedModel } from "./backend.ts";
import type { Device } from "./device.ts";
import { wireName } from "./dtypes.ts";
import { OrtTensor } from "./ort-tensor.ts";
import type { Runtime } from "./runtime.ts";

/** A session of onnxruntime. */
export class OrtModel implements LoadedModel {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly backend: string;
  readonly device: string;
  readonly fellBack: readonly string[];
  private readonly runtime: Runtime;
  private readonly place: Device;
  private readonly ortSession: ort.InferenceSession;

  constructor(
    runtime: Runtime,
    place: Device,
    device: string,
    ortSession: ort.InferenceSession,
    fellBack: readonly string[],
  ) {
    this.runtime = runtime;
    this.place = place;
    this.ortSession = ortSession;
    this.device = device;
    this.fellBack = fellBack;
    this.backend = fellBack.length ? `${place.platform}+wasm` : place.platform;
    this.inputs = ortSession.inputMetadata.map(portOf);
    this.outputs = ortSession.outputMetadata.map(portOf);
  }

  async run(
    inputs: ReadonlyMap<string, DeviceTensor>,
    outputs: readonly string[],
  ): Promise<Map<string, DeviceTensor>> {
    const feeds: Record<string, ort.Tensor> = {};
    for (const [name, tensor] of inputs) feeds[name] = (tensor as OrtTensor).ort;
    const results = await this.runtime.guard("run_failed", "The run failed", () =>
      outputs.length ? this.ortSession.run(feeds, outputs) : this.ortSession.run(feeds),
    );
    const entries = Object.entries(results);
    return new Map(entries.map(([name, tensor]) => [name, new OrtTensor(tensor, this.place)]));
  }

  release(): Promise<void> {
    return this.ortSession.release();
  }
}

function portOf(port: ort.InferenceSession.ValueMetadata): Port {
  if (!port.isTensor) return { name: port.name, dtype: "OTHER", shape: [] };
  const shape = port.shape.map((length) =>
    typeof length === "number" && length < 0 ? null : length || (length === 0 ? 0 : null),
  );
  return { name: port.name, dtype: wireName(port.type), shape };
}
