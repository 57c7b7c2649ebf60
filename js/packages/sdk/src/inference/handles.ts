import type { DeviceTensor } from "../backends/backend.ts";
import { AccelerateError } from "../protocol/errors.ts";
import { bytesOf } from "../protocol/tensor.ts";

/** The tensors that stay live between requests, by the handle that the host has chosen. */
export class Handles {
  private readonly live = new Map<number, DeviceTensor>();

  /** How many tensors are live. */
  get size(): number {
    return this.live.size;
  }

  /** How many bytes they take. */
  get bytes(): number {
    let sum = 0;
    for (const { dtype, shape } of this.live.values()) sum += bytesOf(dtype, shape) ?? 0;
    return sum;
  }

  /** The tensor of a handle. */
  get(handle: number): DeviceTensor {
    const tensor = this.live.get(handle);
    if (tensor) return tensor;
    throw new AccelerateError(
      "tensor_not_found",
      `No live tensor has the handle ${handle}: put it, or keep it from a run, first.`,
      { handle },
    );
  }

  /** Refuses a handle that is in use. */
  requireFree(handle: number): void {
    if (!this.live.has(handle)) return;
    throw new AccelerateError(
      "tensor_exists",
      `The handle ${handle} is in use: drop it first, or choose another.`,
      { handle },
    );
  }

  /** Keeps a tensor under a handle that is free. */
  set(handle: number, tensor: DeviceTensor): void {
    this.requireFree(handle);
    this.live.set(handle, tensor);
  }

  /** Puts a tensor in the place of one that lies elsewhere, which is freed. */
  replace(handle: number, tensor: DeviceTensor): void {
    this.get(handle).dispose();
    this.live.set(handle, tensor);
  }

  /** Frees these handles; says how many of them were there. */
  drop(handles: readonly number[]): number {
    let dropped = 0;
    for (const handle of handles) {
      const tensor = this.live.get(handle);
      if (this.live.delete(handle)) dropped += 1;
      tensor?.dispose();
    }
    return dropped;
  }
}
