import { afterEach, expect, it, vi } from "vitest";
import { within } from "../../src/probe/within.ts";

afterEach(() => vi.useRealTimers());

it("a step that ends in time is what it is", async () => {
  await expect(within("a step", Promise.resolve(3))).resolves.toBe(3);
  await expect(within("a step", Promise.reject(new Error("no")))).rejects.toThrow("no");
});

it("a step that does not end is given up, and says which it was", async () => {
  vi.useFakeTimers();
  const step = within("a step", new Promise(() => undefined));
  const failing = expect(step).rejects.toThrow("a step took more than 10 s, and was given up");
  await vi.advanceTimersByTimeAsync(10_000);
  await failing;
  expect(vi.getTimerCount()).toBe(0);
});
