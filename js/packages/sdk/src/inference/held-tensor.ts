import type { DeviceTensor } from "../backends/backend.ts";
import type { Tensor } from "../protocol/tensor.ts";

/** A tensor as it came, which no run has taken to a device yet. */
export class HeldTensor implements DeviceTensor {
  private readonly tensor: Tensor;

  constructor(tensor: Tensor) {
    this.tensor = tensor;
  }

  get dtype(): Tensor["dtype"] {
    return this.tensor.dtype;
  }

  get shape(): readonly number[] {
    return this.tensor.shape;
  }

  async read(): Promise<Uint8Array> {
    return this.tensor.data;
  }

  dispose(): void {}
}
