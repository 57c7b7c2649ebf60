import type { Port } from "../protocol/generated/messages.ts";
import type { Dtype, Tensor } from "../protocol/tensor.ts";

/** A tensor where a backend keeps it. */
export interface DeviceTensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** Its bytes, brought back from the device; the tensor stays where it is. */
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

/** How a model is to be made ready. */
export interface CreateOptions {
  /** Whether operators that the platform lacks may run on the CPU. */
  readonly fallback: boolean;
  /** Free dimensions, by name, that are fixed. */
  readonly dimensions: Readonly<Record<string, number>>;
}

/** A model that is ready to run. */
export interface LoadedModel {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  /** The execution provider that runs it, and the kind of device under that. */
  readonly backend: string;
  readonly device: string;
  /** The operators that the platform lacks, and that run on the CPU. */
  readonly fellBack: readonly string[];
  /** Runs once; only the outputs that are named come, and they stay on the device. */
  run(
    inputs: ReadonlyMap<string, DeviceTensor>,
    outputs: readonly string[],
  ): Promise<Map<string, DeviceTensor>>;
  /** Gives its memory back. */
  release(): Promise<void>;
}

/** A way to run models: one for each platform. */
export interface Backend {
  readonly platform: string;
  /** Whether it has failed for good, so that only a fresh Worker helps. */
  readonly broken: boolean;
  /** Makes a model ready. The weights' arrays belong to the backend from here on. */
  create(
    graph: Uint8Array,
    weights: readonly ExternalWeight[],
    options: CreateOptions,
  ): Promise<LoadedModel>;
  /** A tensor that a run can take; it may go on using the memory that it is given. */
  upload(tensor: Tensor): Promise<DeviceTensor>;
  /** A live tensor where this backend's runs find it: itself where it lies there already. */
  adopt(tensor: DeviceTensor): Promise<DeviceTensor>;
  /** A run's tensor as one that outlives the model that made it: a copy where it would not. */
  own(tensor: DeviceTensor): Promise<DeviceTensor>;
  /** Settles when the device has done all that it was given. */
  settle(): Promise<void>;
}
