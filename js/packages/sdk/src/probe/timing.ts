const ENOUGH_MS = 20;
const MOST_TIMES = 256;
const SAMPLES = 5;
const BUDGET_MS = 1000;

/** The milliseconds of one call. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

/** The median milliseconds of one call, among a few; of a slow one among fewer. */
export async function medianMs(call: () => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  const end = performance.now() + BUDGET_MS;
  do samples.push(await timed(call));
  while (samples.length < SAMPLES && performance.now() < end);
  return samples.sort((a, b) => a - b)[samples.length >> 1] ?? 0;
}

/**
 * The milliseconds of one repetition of `call`, which does its work as many times as it is told:
 * so many that neither the clock's steps nor the way to the device and back count for much.
 */
export async function repeatedMs(call: (times: number) => Promise<unknown>): Promise<number> {
  await call(1); // to warm up
  let times = 1;
  for (let ms = await timed(() => call(times)); ms < ENOUGH_MS && times < MOST_TIMES; ) {
    times = Math.min(MOST_TIMES, times * 4);
    ms = await timed(() => call(times));
  }
  return (await medianMs(() => call(times))) / times;
}

/** MB/s, from bytes and milliseconds. */
export function megabytesPerSecond(bytes: number, ms: number): number {
  return bytes / 1e6 / (ms / 1000);
}
