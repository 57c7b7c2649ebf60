import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { kicked, PollKicker } from "../../src/probe/kick.ts";

const POLL_MS = 100;

beforeEach(() =>
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  }),
);
afterEach(() => vi.useRealTimers());

/** A device that is ready with a readback on a poll alone, or at once; it counts what is submitted. */
class FakeDevice {
  submitted = 0;
  destroyed = 0;
  readonly queue = { writeBuffer() {}, submit: () => this.submitted++ };
  private readonly polls: boolean;

  constructor(polls: boolean) {
    this.polls = polls;
  }

  createBuffer() {
    const ready = () => this.nextPoll();
    return { mapAsync: ready, unmap() {}, destroy: () => this.destroyed++ };
  }

  nextPoll(): Promise<void> {
    if (!this.polls) return Promise.resolve();
    const wait = POLL_MS - (performance.now() % POLL_MS);
    return new Promise((resolve) => setTimeout(resolve, wait));
  }
}

const deviceOf = (fake: object) => fake as unknown as GPUDevice;

/** Lets time pass until something has come about; the messages between turns are real. */
async function passing<T>(pending: Promise<T>): Promise<T> {
  let done = false;
  const settle = () => {
    done = true;
  };
  pending.then(settle, settle);
  while (!done) {
    await vi.advanceTimersByTimeAsync(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return pending;
}

it("a device that is ready at once is never kicked", async () => {
  const fake = new FakeDevice(false);
  expect(await passing(kicked(deviceOf(fake), Promise.resolve(5)))).toBe(5);
  expect(await PollKicker.of(deviceOf(fake)).slow()).toBe(false);
  const before = fake.submitted;
  await passing(kicked(deviceOf(fake), Promise.resolve(6)));
  expect(fake.submitted).toBe(before);
  expect(fake.destroyed).toBe(1);
});

it("a device that polls is kicked while something is pending, and not after", async () => {
  const fake = new FakeDevice(true);
  const kicker = PollKicker.of(deviceOf(fake));
  expect(await passing(kicker.slow())).toBe(true);
  const before = fake.submitted;
  const later = new Promise((resolve) => setTimeout(() => resolve("done"), 40));
  expect(await passing(kicked(deviceOf(fake), later))).toBe("done");
  const kicks = fake.submitted - before;
  expect(kicks).toBeGreaterThan(10);
  expect(kicks).toBeLessThan(80);
  await vi.advanceTimersByTimeAsync(50);
  expect(fake.submitted - before).toBe(kicks);
});

it("a device is measured once", async () => {
  const fake = new FakeDevice(true);
  const device = deviceOf(fake);
  await passing(Promise.all([PollKicker.of(device).slow(), PollKicker.of(device).slow()]));
  expect(fake.destroyed).toBe(1);
});

it("what fails meanwhile fails as it would without", async () => {
  const fake = new FakeDevice(true);
  const failing = kicked(deviceOf(fake), Promise.reject(new Error("lost")));
  await expect(passing(failing)).rejects.toThrow("lost");
});

it("a device that is lost is not called slow", async () => {
  const fake = {
    createBuffer: () => ({ mapAsync: () => Promise.reject(new Error("lost")), destroy() {} }),
    queue: { writeBuffer() {}, submit() {} },
  };
  expect(await PollKicker.of(deviceOf(fake)).slow()).toBe(false);
});
