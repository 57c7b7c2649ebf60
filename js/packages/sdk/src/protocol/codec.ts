import { AccelerateError } from "./errors.ts";
import type { Message } from "./generated/messages.ts";
import { parseStrict, writeStrict } from "./json.ts";
import { badFrame } from "./refusals.ts";
import { bytesOf, type Dtype, ITEM_SIZE, isDtype, type Tensor, type Tensors } from "./tensor.ts";
import { parseMessage } from "./validate.ts";

/** A message and the tensors that travel with it. */
export interface Frame {
  readonly message: Message;
  readonly tensors: Tensors;
}

const LENGTH_BYTES = 8;
const MAX_HEADER_BYTES = 8 * 1024 * 1024;
const METADATA_KEYS = ["message"];
const ENTRY_KEYS = ["dtype", "shape", "data_offsets"];
const NO_TENSORS: Tensors = new Map();
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A frame of this message. */
export function frameOf(message: Message, tensors: Tensors = NO_TENSORS): Frame {
  return { message, tensors };
}

/** What a header says of one tensor. */
interface Entry {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly bytes: number;
}

/** The frame's memory in order: its header, then each tensor's own bytes, uncopied. */
export function chunks(frame: Frame): Uint8Array[] {
  const named = [...frame.tensors];
  if (named.length > 1) named.sort((a, b) => ITEM_SIZE[b[1].dtype] - ITEM_SIZE[a[1].dtype]);
  const entries = named.map(([name, { dtype, shape, data }]) => {
    checkTensor(name, dtype, shape, data.byteLength);
    return { name, dtype, shape, bytes: data.byteLength };
  });
  return [headerOf(frame.message, entries), ...named.map(([, tensor]) => tensor.data)];
}

/** The length and header of a frame whose tensors follow in this order. */
export function headerOf(message: Message, entries: readonly Entry[]): Uint8Array {
  let json = `{"__metadata__":{"message":${JSON.stringify(writeStrict(message, message.type))}}`;
  let begin = 0;
  for (const { name, dtype, shape, bytes } of entries) {
    const end = begin + bytes;
    json += `,${JSON.stringify(name)}:{"dtype":"${dtype}","shape":[${shape}],"data_offsets":[${begin},${end}]}`;
    begin = end;
  }
  return lengthAndHeader(`${json}}`);
}

/** The bytes of the whole frame. */
export function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.byteLength, 0);
}

/** The frame as one buffer. */
export function encode(frame: Frame): Uint8Array<ArrayBuffer> {
  return join(chunks(frame));
}

/** Gives memory of this many bytes. */
export type Memory = (bytes: number) => Uint8Array<ArrayBuffer>;

/** New memory, which nobody else will use. */
export const fresh: Memory = (bytes) => new Uint8Array(bytes);

/** The parts in one buffer, each copied once; a single part is copied too, never handed on. */
export function join(
  parts: readonly Uint8Array[],
  memory: Memory = fresh,
): Uint8Array<ArrayBuffer> {
  const whole = memory(sizeOf(parts));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

/** The frame in these bytes; its tensors are views into them. */
export function decode(data: Uint8Array): Frame {
  const { header, body } = split(data);
  const named: [string, Tensor, number, number][] = [];
  for (const name of Object.keys(header)) {
    if (name !== "__metadata__") named.push(tensorEntry(name, header[name], body));
  }
  checkCover(named, body.byteLength);
  const tensors = named.length
    ? new Map(named.map(([name, tensor]) => [name, tensor]))
    : NO_TENSORS;
  return { message: messageIn(header), tensors };
}

function checkTensor(name: string, dtype: Dtype, shape: readonly number[], bytes: number): void {
  if (name === "__metadata__") {
    throw new AccelerateError("tensor_exists", "A tensor can't be named __metadata__: rename it.");
  }
  if (bytesOf(dtype, shape) !== bytes) {
    throw badFrame(
      `The tensor ${name} has ${bytes} bytes, which ${dtype} [${shape}] does not take.`,
    );
  }
}

function lengthAndHeader(json: string): Uint8Array {
  const text = encoder.encode(json);
  const padded = Math.ceil(text.byteLength / 8) * 8;
  if (padded > MAX_HEADER_BYTES) throw tooLong(padded);
  const bytes = new Uint8Array(LENGTH_BYTES + padded);
  new DataView(bytes.buffer).setUint32(0, padded, true);
  bytes.set(text, LENGTH_BYTES);
  bytes.fill(0x20, LENGTH_BYTES + text.byteLength);
  return bytes;
}

function tooLong(bytes: number): AccelerateError {
  return badFrame(`A header of ${bytes} bytes is longer than the ${MAX_HEADER_BYTES} allowed.`);
}

function split(data: Uint8Array): { header: Record<string, unknown>; body: Uint8Array } {
  if (data.byteLength < LENGTH_BYTES) throw badFrame("The frame is too short to hold its length.");
  const view = new DataView(data.buffer, data.byteOffset, LENGTH_BYTES);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (length > MAX_HEADER_BYTES) throw tooLong(length);
  if (length % 8) throw badFrame(`A header of ${length} bytes is not a multiple of 8.`);
  const end = LENGTH_BYTES + length;
  if (end > data.byteLength) throw badFrame("The frame ends inside its header.");
  const header = parseStrict(textOf(data.subarray(LENGTH_BYTES, end)), "header");
  if (typeof header !== "object" || header === null || Array.isArray(header)) {
    throw badFrame("The header is not an object.");
  }
  return { header: header as Record<string, unknown>, body: data.subarray(end) };
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw badFrame("The header is not UTF-8.");
  }
}

function messageIn(header: Record<string, unknown>): Message {
  const metadata = Object.hasOwn(header, "__metadata__") ? header.__metadata__ : undefined;
  if (!hasExactly(metadata, METADATA_KEYS) || typeof metadata.message !== "string") {
    throw badFrame("The frame has no message, or more than its message.");
  }
  return parseMessage(parseStrict(metadata.message, "message"));
}

function hasExactly(value: unknown, keys: readonly string[]): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return (
    Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key))
  );
}

function tensorEntry(
  name: string,
  entry: unknown,
  body: Uint8Array,
): [string, Tensor, number, number] {
  if (!hasExactly(entry, ENTRY_KEYS)) {
    throw badFrame(`The tensor ${name} is not told by dtype, shape and data_offsets alone.`);
  }
  const { dtype, shape, data_offsets: offsets } = entry;
  if (!isDtype(dtype)) throw badFrame(`The tensor ${name} has an unknown dtype.`);
  if (!isCounts(shape)) throw badFrame(`The shape of the tensor ${name} is not a list of counts.`);
  if (!isCounts(offsets) || offsets.length !== 2) {
    throw badFrame(`The offsets of the tensor ${name} are not two counts.`);
  }
  const [begin, end] = offsets as [number, number];
  if (begin % ITEM_SIZE[dtype]) {
    throw badFrame(`The tensor ${name} does not begin at a multiple of its item size.`);
  }
  if (end < begin || end > body.byteLength || bytesOf(dtype, shape) !== end - begin) {
    throw badFrame(`The offsets of the tensor ${name} disagree with its dtype, shape or the data.`);
  }
  return [name, { dtype, shape, data: body.subarray(begin, end) }, begin, end];
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);
}

function checkCover(named: [string, Tensor, number, number][], length: number): void {
  const spans = named.map(([, , begin, end]) => [begin, end] as const);
  if (spans.length > 1) spans.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let covered = 0;
  for (const [begin, end] of spans) {
    if (begin !== covered) throw badFrame("The tensors leave a gap or overlap.");
    covered = end;
  }
  if (covered !== length) throw badFrame("The tensors do not cover the data to its end.");
}
