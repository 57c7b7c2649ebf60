import {
  chunks,
  encode,
  type Frame,
  frameOf,
  fresh,
  headerOf,
  join,
  type Memory,
  sizeOf,
} from "./codec.ts";
import { AccelerateError } from "./errors.ts";
import type { Limits } from "./generated/messages.ts";

/** The pieces of one frame: made one by one as they are taken, and given up by `abort`. */
export interface Outgoing {
  /** How many bytes the whole frame has. */
  readonly size: number;
  /** The next piece, in memory of the caller's choosing; `undefined` after the last. */
  next(memory?: Memory): Uint8Array<ArrayBuffer> | undefined;
  /** The abort to send in place of the rest; `undefined` where the receiver has no open stream. */
  abort(): Uint8Array<ArrayBuffer> | undefined;
}

/**
 * The frame whole where it fits, else as parts of the stream that `openStream` names.
 * `undo` is called once if the frame is given up before its last piece was taken.
 */
export function outgoing(
  frame: Frame,
  limits: Limits,
  openStream: () => number,
  undo: () => void,
): Outgoing {
  const { type } = frame.message;
  const parts = chunks(frame);
  const size = sizeOf(parts);
  if (size > limits.max_message_bytes) throw tooLarge(type, size, limits.max_message_bytes);
  if (size <= limits.max_frame_bytes) return new Whole(parts, size, undo);
  if (type === "hello") throw tooLarge(type, size, limits.max_frame_bytes);
  return new Parts(parts, size, limits.max_frame_bytes, openStream(), undo);
}

function tooLarge(type: string, size: number, limit: number): AccelerateError {
  return new AccelerateError(
    "too_large",
    `A ${type} of ${size} bytes is over the ${limit} agreed: send less at once.`,
  );
}

class Whole implements Outgoing {
  readonly size: number;
  private parts: Uint8Array[] | undefined;
  private readonly undo: () => void;

  constructor(parts: Uint8Array[], size: number, undo: () => void) {
    this.parts = parts;
    this.size = size;
    this.undo = undo;
  }

  next(memory: Memory = fresh): Uint8Array<ArrayBuffer> | undefined {
    const { parts } = this;
    this.parts = undefined;
    return parts && join(parts, memory);
  }

  abort(): undefined {
    if (this.parts) this.undo();
    this.parts = undefined;
  }
}

class Parts implements Outgoing {
  readonly size: number;
  private offset = 0;
  private stopped = false;
  private readonly payload: number;
  private readonly source: Cursor;
  private readonly stream: number;
  private readonly undo: () => void;

  constructor(
    parts: Uint8Array[],
    size: number,
    maxFrameBytes: number,
    stream: number,
    undo: () => void,
  ) {
    this.size = size;
    this.stream = stream;
    this.undo = undo;
    this.source = new Cursor(parts);
    // The widest header that a part of this stream can have; the limit is never below 1024.
    this.payload = maxFrameBytes - partHeader(stream, size, size, size).byteLength;
  }

  next(memory: Memory = fresh): Uint8Array<ArrayBuffer> | undefined {
    if (this.stopped || this.offset === this.size) return undefined;
    const length = Math.min(this.payload, this.size - this.offset);
    const head = partHeader(this.stream, this.offset, this.size, length);
    const piece = memory(head.byteLength + length);
    piece.set(head);
    this.source.fill(piece.subarray(head.byteLength));
    this.offset += length;
    return piece;
  }

  abort(): Uint8Array<ArrayBuffer> | undefined {
    if (this.stopped || this.offset === this.size) return undefined;
    this.stopped = true;
    this.undo();
    return this.offset > 0 ? encode(frameOf({ type: "abort", stream: this.stream })) : undefined;
  }
}

function partHeader(stream: number, offset: number, total: number, bytes: number): Uint8Array {
  const message = { type: "part", stream, offset, total } as const;
  return headerOf(message, [{ name: "part", dtype: "U8", shape: [bytes], bytes }]);
}

/** Reads through a list of arrays as if they were one. */
class Cursor {
  private index = 0;
  private offset = 0;
  private readonly parts: readonly Uint8Array[];

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
  }

  /** Fills the target from where the last fill ended; there must be enough left. */
  fill(target: Uint8Array): void {
    let filled = 0;
    while (filled < target.byteLength) {
      const part = this.parts[this.index] as Uint8Array;
      const end = Math.min(part.byteLength, this.offset + target.byteLength - filled);
      target.set(part.subarray(this.offset, end), filled);
      filled += end - this.offset;
      this.offset = end;
      if (end === part.byteLength) {
        this.index += 1;
        this.offset = 0;
      }
    }
  }
}
