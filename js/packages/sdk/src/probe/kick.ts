const SLOW_MS = 50;
const BURST_MS = 2;
const BURST_GAP_MS = 0.1;
const AFTER_BURST_MS = 2;
const SAMPLES = 2;
const MAP_READ = 1;
const COPY_DST = 8;

const kickers = new WeakMap<GPUDevice, PollKicker>();

/**
 * Waits for something of a device (`mapAsync`, `onSubmittedWorkDone`), and makes the browser look
 * for it where it is found to look only now and then.
 */
export function kicked<T>(device: GPUDevice, pending: Promise<T>): Promise<T> {
  return PollKicker.of(device).during(pending);
}

/**
 * Firefox completes what a device was asked for on a poll each 100 ms, and whenever something is
 * submitted: so while something is pending, nothing at all is submitted, again and again. Whether
 * a device needs that is measured once, and believed from then on.
 */
export class PollKicker {
  private readonly device: GPUDevice;
  private measured: Promise<boolean> | undefined;

  /** The one of this device. */
  static of(device: GPUDevice): PollKicker {
    const kicker = kickers.get(device) ?? new PollKicker(device);
    kickers.set(device, kicker);
    return kicker;
  }

  constructor(device: GPUDevice) {
    this.device = device;
  }

  /**
   * Whether the device is slow to say that it is ready. The first call measures it, behind all that
   * was submitted before; best right after the device was made.
   */
  slow(): Promise<boolean> {
    this.measured ??= isSlow(this.device);
    return this.measured;
  }

  /** Waits for `pending`, with kicks where the device is slow. */
  async during<T>(pending: Promise<T>): Promise<T> {
    pending.catch(() => undefined); // it may fail while the device is measured
    if (!(await this.slow())) return pending;
    const stop = repeat(() => this.device.queue.submit([]));
    try {
      return await pending;
    } finally {
      stop();
    }
  }
}

/**
 * Times readbacks of 4 bytes. One before them drains the queue, and brings us to just after a poll,
 * if there are polls: the next then waits for a whole one. A false yes (from a busy machine) costs
 * little and a false no much, so the slowest tells.
 */
async function isSlow(device: GPUDevice): Promise<boolean> {
  const buffer = device.createBuffer({ size: 4, usage: MAP_READ | COPY_DST });
  try {
    await readback(device, buffer);
    let slowest = 0;
    for (let sample = 0; sample < SAMPLES; sample++) {
      slowest = Math.max(slowest, await readback(device, buffer));
    }
    return slowest > SLOW_MS;
  } catch {
    return false; // the device was lost, and says so to whoever uses it
  } finally {
    buffer.destroy();
  }
}

async function readback(device: GPUDevice, buffer: GPUBuffer): Promise<number> {
  const start = performance.now();
  device.queue.writeBuffer(buffer, 0, new Uint32Array(1));
  device.queue.submit([]);
  await buffer.mapAsync(MAP_READ);
  buffer.unmap();
  return performance.now() - start;
}

/**
 * Calls `kick` until it is stopped: first some ten times a millisecond, since a small readback is
 * there in a few tenths of one, then at a timer's pace, since kicks take the time of what they wait
 * for. Measured on lavapipe: kicks in every turn of the event loop made a matmul some five times slower.
 */
function repeat(kick: () => void): () => void {
  const started = performance.now();
  let kickedAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setInterval> | undefined;
  // Messages, since timers wait 4 ms or more once they are nested.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const now = performance.now();
    if (now - started >= BURST_MS) {
      timer = setInterval(kick, AFTER_BURST_MS);
      return;
    }
    if (now - kickedAt >= BURST_GAP_MS) {
      kickedAt = now;
      kick();
    }
    port2.postMessage(0);
  };
  port2.postMessage(0);
  return () => {
    port1.close();
    clearInterval(timer);
  };
}
