import type { Port } from "../protocol/generated/messages.ts";
import type { Dtype, Tensor } from "../protocol/tensor.ts";

/** A tensor where a backend keeps it. */
export interface DeviceTensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** Its bytes, brought back from the device. */
  read(): Promise<Uint8Array>;
  /** Gives its memory back. */
  dispose(): void;
}

/** An external weight of a graph: its bytes, and the path under which the graph asks for them. */
export interface ExternalWeight {
  readonly path: string;
  readonly size: number;
  readonly data: Uint8Array;
  /** Its bytes once more, at once: for a backend that freed `data` and is asked for it again. */
  fetchAgain(): Uint8Array;
}

/** A model that is ready to run. */
export interface LoadedModel {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  /** The execution provider that runs it, and the kind of device under that. */
  readonly backend: string;
  readonly device: string;
  /** Runs once; only the outputs that are named come, and they stay on the device. */
  run(
    inputs: ReadonlyMap<string, DeviceTensor>,
    outputs: readonly string[],
  ): Promise<Map<string, DeviceTensor>>;
  /** Gives its memory back. */
  release(): Promise<void>;
}

/** A way to run models: WASM now, WebGPU and WebNN beside it later. */
export interface Backend {
  readonly platform: string;
  /** Whether it has failed for good, so that only a fresh Worker helps. */
  readonly broken: boolean;
  /** Makes everything ready that does not depend on a model; safe to call again. */
  start(): Promise<void>;
  /** Makes a model ready. The weights' arrays belong to the backend from here on. */
  create(graph: Uint8Array, weights: readonly ExternalWeight[]): Promise<LoadedModel>;
  /** A tensor on the device; it may go on using the memory that it is given. */
  upload(tensor: Tensor): DeviceTensor;
}
