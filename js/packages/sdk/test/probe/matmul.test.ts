import { expect, it } from "vitest";
import { K, left, M, N, requireRight, right, worstError } from "../../src/probe/matmul.ts";

const PRODUCT = multiplied();

function multiplied(): Float32Array {
  const [a, b, c] = [left(), right(), new Float32Array(M * N)];
  for (let row = 0; row < M; row++) {
    for (let k = 0; k < K; k++) {
      const factor = a[row * K + k] as number;
      for (let n = 0; n < N; n++) {
        c[row * N + n] = (c[row * N + n] as number) + factor * (b[k * N + n] as number);
      }
    }
  }
  return c;
}

it("a right product has no error at all, since its sums have no rounding", () => {
  expect(worstError(PRODUCT)).toBe(0);
});

it.each([
  ["of zeros", () => new Float32Array(M * N)],
  ["of NaN", () => new Float32Array(M * N).fill(Number.NaN)],
  ["that is shifted by one", () => PRODUCT.map((_, at, all) => all[at + 1] ?? 0)],
  ["of the wrong length", () => new Float32Array(8)],
])("a product %s is refused", (_, wrong) => {
  expect(() => requireRight(worstError(wrong()))).toThrow("it computes wrongly");
});

it("what f16 loses is let pass", () => {
  const rounded = PRODUCT.map((value) => value * (1 + 2 ** -10));
  expect(() => requireRight(worstError(rounded))).not.toThrow();
});
