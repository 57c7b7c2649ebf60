import {
  AccelerateError,
  helloOf,
  Session,
  type Event as SessionEvent,
  type Socket,
} from "ipfs-accelerate-js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WorkerLike } from "../src/engine.ts";
import type { Note, Start } from "../src/notes.ts";
import { Supervisor } from "../src/supervisor.ts";

class FakeWorker implements WorkerLike {
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  started: Start | undefined;
  terminated = false;

  postMessage(message: unknown): void {
    this.started = message as Start;
  }

  terminate(): void {
    this.terminated = true;
  }

  note(note: Note): void {
    this.onmessage?.({ data: note } as MessageEvent);
  }
}

class FakeSocket implements Socket {
  binaryType = "";
  bufferedAmount = 0;
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  readonly host = new Session({ ...helloOf("page"), role: "host" });
  readonly heard: SessionEvent[] = [];

  send(data: Uint8Array<ArrayBuffer>): void {
    this.heard.push(...this.host.receive(data));
  }

  close(): void {}

  say(frame: ReturnType<Session["start"]>): void {
    const piece = this.host.pieces(frame).next();
    this.onmessage?.({ data: piece?.buffer } as MessageEvent);
  }
}

const server = { base: "http://127.0.0.1/", token: "secret", worker: 3 };
let workers: FakeWorker[];
let socket: FakeSocket;
let shown: string[];
let release: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  workers = [];
  shown = [];
  release = [];
  socket = new FakeSocket();
  new Supervisor(
    { server, threads: 2, kind: "plain" },
    {
      startWorker: () => {
        const worker = new FakeWorker();
        workers.push(worker);
        return worker;
      },
      dial: () => socket,
      lockFree: () => new Promise((resolve) => release.push(resolve)),
      show: (state) => shown.push(state),
    },
  );
  socket.onopen?.(new Event("open"));
  socket.say(socket.host.start());
});

afterEach(() => {
  vi.useRealTimers();
});

function lastBeat() {
  const beats = socket.heard.filter((event) => event.type === "beaten");
  return beats.at(-1)?.beat;
}

function worker(index: number): FakeWorker {
  const found = workers[index];
  if (!found) throw new Error(`no worker ${index} was started`);
  return found;
}

async function freeLock(): Promise<void> {
  release.shift()?.();
  await vi.advanceTimersByTimeAsync(0);
}

describe("the supervisor", () => {
  it("starts the engine before it dials, with all that the engine needs", () => {
    expect(worker(0).started).toMatchObject({ server, threads: 2 });
    expect(lastBeat()).toEqual({ type: "beat", engine: "starting" });
  });

  it("beats each second with what the engine is busy with", () => {
    worker(0).note({ type: "connected" });
    worker(0).note({ type: "began", id: 7 });
    vi.advanceTimersByTime(2000);
    expect(lastBeat()).toMatchObject({ engine: "busy", request: 7 });
    expect(lastBeat()?.busy_ms).toBeGreaterThanOrEqual(1000);
    worker(0).note({ type: "ended", models: ["m"] });
    vi.advanceTimersByTime(1000);
    expect(lastBeat()).toEqual({ type: "beat", engine: "idle" });
  });

  it("draws the page with its beats, not with each request", () => {
    worker(0).note({ type: "connected" });
    vi.advanceTimersByTime(1000);
    const before = shown.length;
    for (let id = 1; id <= 5; id++) {
      worker(0).note({ type: "began", id });
      worker(0).note({ type: "ended", models: ["m"] });
    }
    expect(shown.length).toBe(before);
    worker(0).note({ type: "began", id: 6 });
    vi.advanceTimersByTime(1000);
    expect(shown.length).toBe(before + 1);
    expect(shown.at(-1)).toBe("busy");
  });

  it("answers a restart only when the old engine has gone", async () => {
    socket.say(socket.host.request({ type: "restart", reason: "test", runtime: "plain" }));
    await vi.advanceTimersByTimeAsync(0);
    expect(worker(0).terminated).toBe(true);
    expect(workers).toHaveLength(1);
    expect(socket.host.openRequests.size).toBe(1);
    await freeLock();
    expect(workers).toHaveLength(2);
    expect(socket.host.openRequests.size).toBe(0);
    expect(worker(1).started?.lock).not.toBe(worker(0).started?.lock);
  });

  it("replaces an engine that died, and says so", async () => {
    worker(0).note({ type: "connected" });
    worker(0).onerror?.({} as ErrorEvent);
    expect(lastBeat()).toMatchObject({ engine: "ended" });
    await freeLock();
    expect(workers).toHaveLength(2);
    expect(lastBeat()).toMatchObject({ engine: "starting" });
  });

  it("does not go on replacing an engine that never serves", async () => {
    for (let i = 0; i < 6; i++) {
      workers.at(-1)?.onerror?.({} as ErrorEvent);
      await freeLock();
    }
    expect(workers).toHaveLength(4);
    expect(lastBeat()).toMatchObject({ engine: "ended" });
  });

  it("answers a ping, and refuses what belongs to the engine", async () => {
    socket.say(socket.host.request({ type: "ping" }));
    socket.say(socket.host.request({ type: "unload", model: "m" }));
    await vi.advanceTimersByTimeAsync(0);
    expect(socket.heard.some((event) => event.type === "answered" && event.id === 1)).toBe(true);
    const refused = socket.heard.find((event) => event.type === "refused");
    expect(refused?.error).toBeInstanceOf(AccelerateError);
    expect(refused?.error.code).toBe("bad_option");
  });

  it("ends with its host, and says that the page may be closed", () => {
    socket.say(socket.host.notify({ type: "goodbye", reason: "done" }));
    expect(worker(0).terminated).toBe(true);
    expect(shown.at(-1)).toContain("may be closed");
    const beats = socket.heard.length;
    vi.advanceTimersByTime(5000);
    expect(socket.heard).toHaveLength(beats);
  });

  it("ends when its socket is lost", () => {
    socket.onclose?.({ code: 1006, reason: "" } as CloseEvent);
    expect(worker(0).terminated).toBe(true);
    expect(shown.at(-1)).toContain("1006");
  });
});
