import { expect, it } from "vitest";
import { Used } from "../../src/protocol/used.ts";

it("takes each number once, in any order", () => {
  const used = new Used();
  const numbers = [5, 1, 3, 2, 4, 100, 99, 101, 7, 6];
  for (const n of numbers) expect(used.add(n)).toBe(true);
  for (const n of numbers) expect(used.add(n)).toBe(false);
  expect(used.add(50)).toBe(true);
});

it("agrees with a set over many numbers", () => {
  const used = new Used();
  const seen = new Set<number>();
  let state = 1;
  for (let i = 0; i < 5000; i++) {
    state = (state * 48271) % 2147483647;
    const n = (state % 3000) + 1;
    expect(used.add(n)).toBe(!seen.has(n));
    seen.add(n);
  }
});
