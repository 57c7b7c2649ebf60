import type { Backend } from "../backends/backend.ts";
import { OrtBackend } from "../backends/ort-backend.ts";
import type { Runtime } from "../backends/runtime.ts";
import { WasmDevice } from "../backends/wasm.ts";
import { WebGpuDevice } from "../backends/webgpu.ts";
import { WebNnDevice } from "../backends/webnn.ts";

/** Every platform that onnxruntime-web has, over one runtime. */
export function everyBackend(runtime: Runtime): Backend[] {
  const devices = [new WasmDevice(), new WebGpuDevice(runtime), new WebNnDevice()];
  return devices.map((device) => new OrtBackend(runtime, device));
}
