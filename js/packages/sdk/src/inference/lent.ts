import type { Backend, DeviceTensor } from "../backends/backend.ts";
import { AccelerateError } from "../protocol/errors.ts";
import type { Lent } from "../protocol/generated/messages.ts";
import { bytesOf, isDtype } from "../protocol/tensor.ts";

interface Held {
  readonly tensor: DeviceTensor;
  readonly size: number;
  users: number;
}

/** Weights that several models take as inputs: one of each is on the device. */
export class LentWeights {
  private readonly held = new Map<string, Held>();

  /** How many bytes they take. */
  get bytes(): number {
    let sum = 0;
    for (const { size } of this.held.values()) sum += size;
    return sum;
  }

  /** Those of these that are not on this platform yet. */
  missing(platform: string, lent: readonly Lent[]): Lent[] {
    return lent.filter((one) => !this.held.has(keyOf(platform, one)));
  }

  /** Puts weights that were missing on the device. */
  async place(backend: Backend, lent: readonly Lent[], data: readonly Uint8Array[]): Promise<void> {
    for (const [i, one] of lent.entries()) {
      const key = keyOf(backend.platform, one);
      if (this.held.has(key)) continue; // two inputs of one graph may be equal
      const made = await backend.upload({ ...typed(one), data: data[i] as Uint8Array });
      const tensor = await backend.adopt(made);
      if (tensor !== made) made.dispose();
      this.held.set(key, { tensor, size: one.size, users: 0 });
    }
  }

  /** The tensors of a model's inputs, which are now used by one model more. */
  take(platform: string, lent: readonly Lent[]): Map<string, DeviceTensor> {
    const tensors = new Map<string, DeviceTensor>();
    for (const one of lent) {
      const held = this.held.get(keyOf(platform, one)) as Held;
      held.users += 1;
      tensors.set(one.input, held.tensor);
    }
    return tensors;
  }

  /** A model uses these no longer. */
  giveBack(platform: string, lent: readonly Lent[]): void {
    for (const one of lent) {
      const held = this.held.get(keyOf(platform, one));
      if (held) held.users -= 1;
    }
    this.sweep();
  }

  /** Frees what nobody uses. */
  sweep(): void {
    for (const [key, { tensor, users }] of this.held) {
      if (users > 0) continue;
      tensor.dispose();
      this.held.delete(key);
    }
  }
}

function keyOf(platform: string, { cid, dtype, shape }: Lent): string {
  return `${platform} ${cid} ${dtype} ${shape}`;
}

function typed({ dtype, shape, size, cid }: Lent) {
  if (isDtype(dtype) && bytesOf(dtype, shape) === size) return { dtype, shape };
  throw new AccelerateError(
    "model_invalid",
    `The lent weight ${cid} of ${size} bytes is no ${dtype} of the shape ${shape.join(", ")}.`,
  );
}
