import { describe, expect, it } from "vitest";
import { tinyModel } from "../../src/backends/tiny-model.ts";
import { WeightReader } from "../../src/backends/weights.ts";

function weight(path: string, value: number, again: () => Uint8Array = () => new Uint8Array(4)) {
  return { path, size: 4, data: new Uint8Array(4).fill(value), fetchAgain: again };
}

/** Whether an array's memory is gone; node 20 has no `transfer`, and leaves it to its collector. */
const freed = "transfer" in ArrayBuffer.prototype ? 0 : 4;

describe("the reader of weights", () => {
  it("shows each weight with its size, and frees it when the next is read", () => {
    const [a, b] = [weight("a", 1), weight("b", 2)];
    const files = new WeightReader([a, b]).files;
    expect(files.map(({ path, data }) => [path, data.byteLength])).toEqual([
      ["a", 4],
      ["b", 4],
    ]);
    expect([...(files[0]?.data.subarray(1, 3) ?? [])]).toEqual([1, 1]);
    expect(a.data.byteLength).toBe(4);
    expect([...(files[1]?.data.subarray(0, 4) ?? [])]).toEqual([2, 2, 2, 2]);
    expect(a.data.byteLength).toBe(freed);
  });

  it("frees what is left at the end", () => {
    const weights = [weight("a", 1), weight("b", 2)];
    const reader = new WeightReader(weights);
    reader.files[0]?.data.subarray(0, 4);
    reader.free();
    expect(weights.map(({ data }) => data.byteLength)).toEqual([freed, freed]);
  });

  it.runIf(freed === 0)("fetches a weight again that is read after it was freed", () => {
    const a = weight("a", 1, () => new Uint8Array([9, 9, 9, 9]));
    const [first, second] = new WeightReader([a, weight("b", 2)]).files;
    first?.data.subarray(0, 4);
    second?.data.subarray(0, 4);
    expect([...(first?.data.subarray(0, 2) ?? [])]).toEqual([9, 9]);
  });

  it.runIf(freed === 0)("keeps what went wrong in that", () => {
    const gone = new Error("gone");
    const a = weight("a", 1, () => {
      throw gone;
    });
    const reader = new WeightReader([a, weight("b", 2)]);
    const [first, second] = reader.files;
    first?.data.subarray(0, 4);
    second?.data.subarray(0, 4);
    expect(() => first?.data.subarray(0, 4)).toThrow(gone);
    expect(reader.failure).toBe(gone);
  });
});

describe("the tiny model", () => {
  it("is the same few bytes each time", () => {
    expect(tinyModel()).toEqual(tinyModel());
    expect(tinyModel().byteLength).toBeLessThan(100);
  });
});
