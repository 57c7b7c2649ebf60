import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Tensor, Tensors } from "../../src/protocol/tensor.ts";

const folder = join(import.meta.dirname, "..", "..", "..", "..", "..", "spec", "vectors");

/** Tensors as the vectors write them. */
export type HexTensors = Record<
  string,
  { dtype: Tensor["dtype"]; shape: readonly number[]; hex: string }
>;

/** A JSON file of spec/vectors. */
export function readVectors<T>(...path: string[]): T {
  return JSON.parse(readFileSync(join(folder, ...path), "utf8"));
}

/** A file's bytes, aligned as a socket gives them. */
export function readBytes(...path: string[]): Uint8Array {
  return new Uint8Array(readFileSync(join(folder, ...path)));
}

/** The names of the scenarios. */
export function scenarioFiles(): string[] {
  return readdirSync(join(folder, "sessions")).sort();
}

/** The bytes that hexadecimal digits say. */
export function fromHex(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, "hex"));
}

/** Tensors from what the vectors write. */
export function tensorsOf(written: HexTensors = {}): Tensors {
  const entries = Object.entries(written).map(([name, { dtype, shape, hex }]) => {
    return [name, { dtype, shape, data: fromHex(hex) }] as const;
  });
  return new Map(entries);
}

/** Tensors as the vectors write them. */
export function hexOf(tensors: Tensors): HexTensors {
  const entries = [...tensors].map(([name, { dtype, shape, data }]) => {
    return [name, { dtype, shape: [...shape], hex: Buffer.from(data).toString("hex") }] as const;
  });
  return Object.fromEntries(entries);
}
