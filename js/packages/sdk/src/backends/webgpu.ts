import type * as ort from "onnxruntime-web/wasm";
import { adapterWords, isSoftware } from "../probe/adapter.ts";
import { kicked, PollKicker } from "../probe/kick.ts";
import { requestAdapter } from "../probe/request-adapter.ts";
import { AccelerateError } from "../protocol/errors.ts";
import type { Device } from "./device.ts";
import { bytesOf } from "./ort-tensor.ts";
import { readbacks } from "./readbacks.ts";
import type { OrtModule, Runtime } from "./runtime.ts";

const HELD = new Set(["float32", "float16", "int32", "uint32", "int64", "bool", "uint8"]);
/** What kernels may be faster for; each is asked for only where the adapter has it. */
const FEATURES: readonly string[] = ["shader-f16", "subgroups", "timestamp-query"];
const LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupsPerDimension",
  "maxStorageBuffersPerShaderStage",
] as const;

/** The browser's own constants, of which TypeScript's library has no types. */
const [READ, MAP_READ, COPY_SRC, COPY_DST, STORAGE] = [1, 1, 4, 8, 128] as const;

/** The GPU, by WebGPU: one device of this realm, whose buffers the sessions share. */
export class WebGpuDevice implements Device {
  readonly platform = "webgpu";
  readonly location = "gpu-buffer";
  readonly onHost = new Set(["Shape", "Size"]);
  private readonly runtime: Runtime;
  private opened: Promise<string> | undefined;
  private device: GPUDevice | undefined;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
  }

  open(): Promise<string> {
    this.opened ??= this.openNow();
    return this.opened;
  }

  providerOption(): ort.InferenceSession.ExecutionProviderConfig {
    return { name: "webgpu", device: this.gpu };
  }

  creating<T>(make: () => Promise<T>): Promise<T> {
    return make();
  }

  async failed(): Promise<void> {}

  makes(): boolean {
    return true;
  }

  holds(type: ort.Tensor.Type): boolean {
    return HELD.has(type);
  }

  async place(ort: OrtModule, tensor: ort.Tensor): Promise<ort.Tensor> {
    const bytes = bytesOf(tensor);
    const buffer = this.buffer(bytes.byteLength, true);
    new Uint8Array(buffer.getMappedRange()).set(bytes);
    buffer.unmap();
    return held(ort, tensor, buffer);
  }

  /** onnxruntime's own buffers go with its last session, and one that is freed after it traps. */
  async own(ort: OrtModule, tensor: ort.Tensor): Promise<ort.Tensor> {
    const source = tensor.gpuBuffer as GPUBuffer;
    const buffer = this.buffer(bytesIn(tensor), false);
    const commands = this.gpu.createCommandEncoder();
    commands.copyBufferToBuffer(source, 0, buffer, 0, Math.min(source.size, buffer.size));
    this.gpu.queue.submit([commands.finish()]);
    return held(ort, tensor, buffer);
  }

  async read(tensor: ort.Tensor): Promise<Uint8Array> {
    const source = tensor.gpuBuffer as GPUBuffer;
    const size = bytesIn(tensor);
    const padded = Math.ceil(size / 4) * 4;
    const staging = this.gpu.createBuffer({ size: padded, usage: MAP_READ | COPY_DST });
    try {
      const commands = this.gpu.createCommandEncoder();
      commands.copyBufferToBuffer(source, 0, staging, 0, padded);
      this.gpu.queue.submit([commands.finish()]);
      await kicked(this.gpu, staging.mapAsync(READ));
      return new Uint8Array(staging.getMappedRange().slice(0, size));
    } finally {
      staging.destroy();
    }
  }

  async settle(): Promise<void> {
    if (this.device) await kicked(this.device, this.device.queue.onSubmittedWorkDone());
  }

  private buffer(bytes: number, mappedAtCreation: boolean): GPUBuffer {
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    return this.gpu.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST, mappedAtCreation });
  }

  private get gpu(): GPUDevice {
    if (this.device) return this.device;
    throw new AccelerateError("run_failed", "The WebGPU device is used before it was opened.");
  }

  private async openNow(): Promise<string> {
    const adapter = navigator.gpu ? await requestAdapter(navigator.gpu) : null;
    if (!adapter) {
      throw new AccelerateError("platform_unavailable", "This browser gives no WebGPU adapter.");
    }
    this.device = await adapter.requestDevice({
      requiredFeatures: FEATURES.filter((one) => adapter.features.has(one)) as GPUFeatureName[],
      requiredLimits: Object.fromEntries(LIMITS.map((one) => [one, adapter.limits[one]])),
    });
    // Before anything is counted: it reads back to see how long that takes.
    await PollKicker.of(this.device).slow();
    readbacks.watch(GPUBuffer.prototype, "mapAsync", (mode) => mode === READ);
    void this.device.lost.then(() => {
      this.runtime.broken = true;
    });
    return isSoftware(adapterWords(adapter)) ? "software-gpu" : "gpu";
  }
}

function held(ort: OrtModule, { type, dims }: ort.Tensor, buffer: GPUBuffer): ort.Tensor {
  return ort.Tensor.fromGpuBuffer(buffer, {
    dataType: type as ort.Tensor.GpuBufferDataTypes,
    dims,
    dispose: () => buffer.destroy(),
  });
}

function bytesIn({ type, size }: ort.Tensor): number {
  if (type === "bool" || type === "uint8") return size;
  if (type === "float16") return size * 2;
  return type === "int64" || type === "uint64" ? size * 8 : size * 4;
}
