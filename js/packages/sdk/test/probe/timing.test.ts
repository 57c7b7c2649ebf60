import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { medianMs, megabytesPerSecond, repeatedMs } from "../../src/probe/timing.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

/** A call that takes these times, one after the other, and the last one from then on. */
function taking(...times: number[]) {
  return vi.fn(async () => {
    vi.advanceTimersByTime((times.length > 1 ? times.shift() : times[0]) as number);
  });
}

it("the median is not moved by one slow call", async () => {
  const call = taking(3, 3, 90, 3);
  expect(await medianMs(call)).toBe(3);
  expect(call).toHaveBeenCalledTimes(5);
});

it("a slow call is not repeated past a second", async () => {
  const call = taking(700);
  expect(await medianMs(call)).toBe(700);
  expect(call).toHaveBeenCalledTimes(2);
});

it("a fast call is repeated until the clock can tell it", async () => {
  const asked: number[] = [];
  const ms = await repeatedMs(async (times) => {
    asked.push(times);
    vi.advanceTimersByTime(times);
  });
  expect(ms).toBe(1);
  expect(asked.slice(0, 5)).toEqual([1, 1, 4, 16, 64]);
  expect(asked.slice(5)).toEqual([64, 64, 64, 64, 64]);
});

it("one that takes no time at all is not repeated for ever", async () => {
  const asked: number[] = [];
  await repeatedMs(async (times) => void asked.push(times));
  expect(Math.max(...asked)).toBe(256);
});

it("megabytes are 10^6 bytes", () => {
  expect(megabytesPerSecond(4_000_000, 1000)).toBe(4);
});
