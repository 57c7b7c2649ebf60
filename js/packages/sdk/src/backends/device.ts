import type * as ort from "onnxruntime-web/wasm";
import type { OrtModule } from "./runtime.ts";

/** Where a tensor lies. */
export type Location = "cpu" | "gpu-buffer" | "ml-tensor";

/** What differs between the platforms that onnxruntime-web runs models on. */
export interface Device {
  readonly platform: string;
  /** Where its outputs stay, and where its runs take inputs from beside the CPU. */
  readonly location: Location;
  /** Operators that run on the CPU by their nature: they read how long a tensor is, not what it holds. */
  readonly onHost: ReadonlySet<string>;
  /** Gets hold of the device, once; says what kind it is. */
  open(): Promise<string>;
  /** The session's options that name it. */
  providerOption(): ort.InferenceSession.ExecutionProviderConfig;
  /** Has a session made, and hears of what onnxruntime does on the device meanwhile. */
  creating<T>(make: () => Promise<T>): Promise<T>;
  /** Told that none could be made; onnxruntime may need its state put right. */
  failed(ort: OrtModule): Promise<void>;
  /** Whether the last session that was made leaves this output on the device. */
  makes(output: string): boolean;
  /** Whether tensors of this type can lie on it. */
  holds(type: ort.Tensor.Type): boolean;
  /** A copy of a CPU tensor on the device. */
  place(ort: OrtModule, tensor: ort.Tensor): Promise<ort.Tensor>;
  /** A tensor of a run in memory that no session owns. */
  own(ort: OrtModule, tensor: ort.Tensor): Promise<ort.Tensor>;
  /** The bytes of a tensor that lies on it; it stays there. */
  read(tensor: ort.Tensor): Promise<Uint8Array>;
  /** Settles when it has done all that it was given. */
  settle(): Promise<void>;
}
