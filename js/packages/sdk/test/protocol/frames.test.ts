import { describe, expect, it } from "vitest";
import { decode, encode, frameOf } from "../../src/protocol/codec.ts";
import { AccelerateError, isProtocolError } from "../../src/protocol/errors.ts";
import type { Message } from "../../src/protocol/generated/messages.ts";
import { parseMessage } from "../../src/protocol/validate.ts";
import { type HexTensors, hexOf, readBytes, readVectors, tensorsOf } from "./vectors.ts";

interface Valid {
  name: string;
  file: string;
  message: Message;
  tensors?: HexTensors;
  offsets: Record<string, [number, number]>;
}

const frames = readVectors<{
  valid: Valid[];
  invalid: { name: string; file: string; code: string }[];
}>("frames.json");
const messages = readVectors<{
  valid: { about: string; message: Message }[];
  invalid: { about: string; message: unknown; field?: string }[];
}>("messages.json");

function offsetsIn(bytes: Uint8Array): Record<string, [number, number]> {
  const length = new DataView(bytes.buffer).getUint32(0, true);
  expect(length % 8).toBe(0);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const { __metadata__, ...entries } = header;
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [
      name,
      (entry as { data_offsets: [number, number] }).data_offsets,
    ]),
  );
}

/** The error that a call raises. */
function raised(call: () => unknown): AccelerateError {
  try {
    call();
  } catch (error) {
    if (error instanceof AccelerateError) return error;
    throw error;
  }
  throw new Error("nothing was raised");
}

describe("valid frames", () => {
  it.each(frames.valid)("$name", ({ file, message, tensors = {}, offsets }) => {
    const read = decode(readBytes(file));
    expect(read.message).toEqual(message);
    expect(hexOf(read.tensors)).toEqual(tensors);
    const written = encode(frameOf(message, tensorsOf(tensors)));
    const again = decode(written);
    expect(again.message).toEqual(message);
    expect(hexOf(again.tensors)).toEqual(tensors);
    expect(offsetsIn(written)).toEqual(offsets);
  });
});

describe("invalid frames", () => {
  it.each(frames.invalid)("$name", ({ file, code }) => {
    const error = raised(() => decode(readBytes(file)));
    expect(isProtocolError(error)).toBe(true);
    expect(error.code).toBe(code);
  });
});

describe("messages", () => {
  it.each(messages.valid)("takes $about", ({ message }) => {
    expect(parseMessage(structuredClone(message))).toEqual(message);
  });

  it.each(messages.invalid)("refuses $about", ({ message, field }) => {
    const error = raised(() => parseMessage(message));
    expect(error.code).toBe("bad_frame");
    const type = (message as { type?: unknown } | null)?.type;
    if (typeof type === "string") expect(error.message).toContain(type);
    if (field) expect(error.message).toContain(field);
  });
});
