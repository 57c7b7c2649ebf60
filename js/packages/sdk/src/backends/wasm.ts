import type * as ort from "onnxruntime-web/wasm";
import type { Device } from "./device.ts";
import { bytesOf } from "./ort-tensor.ts";
import type { OrtModule } from "./runtime.ts";

/** The CPU, by WASM: its tensors lie in this realm's own memory. */
export class WasmDevice implements Device {
  readonly platform = "wasm";
  readonly onHost = new Set<string>();
  readonly location = "cpu";

  async open(): Promise<string> {
    return "cpu";
  }

  providerOption(): ort.InferenceSession.ExecutionProviderConfig {
    return "wasm";
  }

  creating<T>(make: () => Promise<T>): Promise<T> {
    return make();
  }

  async failed(): Promise<void> {}

  makes(): boolean {
    return true;
  }

  holds(): boolean {
    return true;
  }

  async place(_ort: OrtModule, tensor: ort.Tensor): Promise<ort.Tensor> {
    return tensor;
  }

  async own(_ort: OrtModule, tensor: ort.Tensor): Promise<ort.Tensor> {
    return tensor;
  }

  async read(tensor: ort.Tensor): Promise<Uint8Array> {
    return bytesOf(tensor);
  }

  async settle(): Promise<void> {}
}
