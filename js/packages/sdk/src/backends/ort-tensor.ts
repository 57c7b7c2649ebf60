import type * as ort from "onnxruntime-web/wasm";
import type { Dtype } from "../protocol/tensor.ts";
import type { DeviceTensor } from "./backend.ts";
import type { Device, Location } from "./device.ts";
import { wireDtype } from "./dtypes.ts";
import { living } from "./living.ts";

/** A tensor of onnxruntime: in this realm's memory, or on the device of a backend. */
export class OrtTensor implements DeviceTensor {
  readonly dtype: Dtype;
  readonly ort: ort.Tensor;
  private readonly device: Device;

  constructor(tensor: ort.Tensor, device: Device) {
    this.dtype = wireDtype(tensor.type);
    this.ort = tensor;
    this.device = device;
    living.born(this);
  }

  get shape(): readonly number[] {
    return this.ort.dims;
  }

  /** Where it lies. */
  get location(): Location {
    return this.ort.location as Location;
  }

  async read(): Promise<Uint8Array> {
    return this.location === "cpu" ? bytesOf(this.ort) : this.device.read(this.ort);
  }

  dispose(): void {
    living.died(this);
    this.ort.dispose();
  }
}

/** The bytes of a tensor in this realm's memory. */
export function bytesOf(tensor: ort.Tensor): Uint8Array {
  const { buffer, byteOffset, byteLength } = tensor.data as Exclude<ort.Tensor.DataType, string[]>;
  return new Uint8Array(buffer, byteOffset, byteLength);
}
