import { AccelerateError } from "./errors.ts";
import type { Part } from "./generated/messages.ts";
import { badFrame, outOfOrder } from "./refusals.ts";
import type { Tensors } from "./tensor.ts";
import { Used } from "./used.ts";

const MAX_STREAMS = 8;

interface Stream {
  readonly whole: Uint8Array;
  received: number;
}

/** Puts the parts of split frames together again. */
export class Streams {
  private readonly open = new Map<number, Stream>();
  private readonly used = new Used();

  /** How many streams are open. */
  get size(): number {
    return this.open.size;
  }

  /** The whole frame, once this part has completed it. */
  accept(part: Part, tensors: Tensors, maxMessageBytes: number): Uint8Array | undefined {
    const data = payloadOf(tensors);
    const stream = this.open.get(part.stream) ?? this.begin(part, maxMessageBytes);
    if (part.total !== stream.whole.byteLength) {
      throw badFrame(`The parts of the stream ${part.stream} differ in their total.`);
    }
    if (part.offset !== stream.received) {
      throw outOfOrder(`a part of the stream ${part.stream} does not continue the one before.`);
    }
    if (part.offset + data.byteLength > part.total) {
      throw badFrame(`The stream ${part.stream} passes its total of ${part.total} bytes.`);
    }
    stream.whole.set(data, part.offset);
    stream.received += data.byteLength;
    if (stream.received < part.total) return undefined;
    this.open.delete(part.stream);
    return stream.whole;
  }

  /** Forgets a stream that its sender has given up. */
  abort(stream: number): void {
    this.open.delete(stream);
  }

  private begin(part: Part, maxMessageBytes: number): Stream {
    if (part.offset !== 0) throw outOfOrder(`the stream ${part.stream} does not begin at 0.`);
    if (part.total > maxMessageBytes) {
      throw new AccelerateError(
        "too_large",
        `A message of ${part.total} bytes is over the ${maxMessageBytes} agreed.`,
      );
    }
    if (this.open.size === MAX_STREAMS) {
      throw new AccelerateError(
        "too_large",
        `More than ${MAX_STREAMS} streams were opened at once.`,
      );
    }
    if (!this.used.add(part.stream)) throw outOfOrder(`the stream ${part.stream} was used before.`);
    const stream = { whole: allocate(part.total), received: 0 };
    this.open.set(part.stream, stream);
    return stream;
  }
}

function payloadOf(tensors: Tensors): Uint8Array {
  const part = tensors.get("part");
  if (tensors.size !== 1 || part?.dtype !== "U8" || part.shape.length !== 1) {
    throw badFrame("A part carries one U8 tensor named part.");
  }
  if (part.data.byteLength === 0) throw badFrame("A part carries at least one byte.");
  return part.data;
}

function allocate(bytes: number): Uint8Array {
  try {
    return new Uint8Array(bytes);
  } catch {
    throw new AccelerateError("too_large", `There is no memory here for ${bytes} bytes at once.`);
  }
}
