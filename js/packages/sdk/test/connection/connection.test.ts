import { beforeEach, describe, expect, it, vi } from "vitest";
import { Connection } from "../../src/connection/connection.ts";
import { helloOf } from "../../src/connection/hello.ts";
import type { Socket } from "../../src/connection/socket.ts";
import type { Event as SessionEvent } from "../../src/protocol/events.ts";
import { Session } from "../../src/protocol/session.ts";

/** A socket whose other end is a session, and which can be stalled. */
class FakeSocket implements Socket {
  binaryType = "";
  bufferedAmount = 0;
  stalled = false;
  sent = 0;
  closedWith: [number | undefined, string | undefined] | undefined;
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  readonly host = new Session({ ...helloOf("page"), role: "host" });
  readonly heard: SessionEvent[] = [];

  send(data: Uint8Array<ArrayBuffer>): void {
    this.sent += 1;
    if (this.stalled) this.bufferedAmount += data.byteLength;
    this.heard.push(...this.host.receive(data));
  }

  close(code?: number, reason?: string): void {
    this.closedWith = [code, reason];
  }

  /** Gives the page what the host says. */
  say(frame: ReturnType<Session["start"]>): void {
    const pieces = this.host.pieces(frame);
    for (let piece = pieces.next(); piece; piece = pieces.next()) this.give(piece.buffer);
  }

  give(data: unknown): void {
    this.onmessage?.({ data } as MessageEvent);
  }

  opened(): void {
    this.onopen?.(new Event("open"));
    this.say(this.host.start());
  }
}

let socket: FakeSocket;
let events: SessionEvent[];
let closed: string[];
let connection: Connection;

beforeEach(() => {
  socket = new FakeSocket();
  events = [];
  closed = [];
  connection = new Connection(socket, helloOf("engine"), {
    event: (event) => events.push(event),
    closed: (reason) => closed.push(reason),
  });
  socket.opened();
});

function payload(megabytes: number) {
  const data = new Uint8Array(megabytes << 20);
  return new Map([["data", { dtype: "U8" as const, shape: [data.length], data }]]);
}

describe("a connection", () => {
  it("says hello first, and asks for bytes", () => {
    expect(socket.binaryType).toBe("arraybuffer");
    expect(connection.open).toBe(true);
    expect(events.map(({ type }) => type)).toEqual(["opened"]);
    expect(socket.heard[0]).toMatchObject({ type: "opened", hello: { role: "engine" } });
  });

  it("answers what it is asked", async () => {
    socket.say(socket.host.request({ type: "ping" }));
    expect(events.at(-1)).toMatchObject({ type: "asked", id: 1 });
    connection.progress(1, "fetch", 1, 2);
    await connection.answer(1, {});
    await connection.answer(1, {});
    expect(socket.heard.slice(1).map(({ type }) => type)).toEqual(["progressed", "answered"]);
  });

  it("splits a long answer, and makes no piece while the socket has no room", async () => {
    socket.say(socket.host.request({ type: "get", handle: 1 }));
    socket.stalled = true;
    const before = socket.sent;
    const answering = connection.answer(1, {}, payload(40));
    await vi.waitFor(() => expect(socket.sent).toBe(before + 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(socket.sent).toBe(before + 1);
    connection.beat({ type: "beat", engine: "idle" });
    expect(socket.heard.at(-1)?.type).toBe("beaten");
    socket.stalled = false;
    socket.bufferedAmount = 0;
    await answering;
    expect(socket.heard.at(-1)).toMatchObject({ type: "answered", id: 1 });
    expect(socket.sent).toBe(before + 4);
  });

  it("gives a long answer up when the socket ends", async () => {
    socket.say(socket.host.request({ type: "get", handle: 1 }));
    socket.stalled = true;
    const answering = connection.answer(1, {}, payload(40));
    await vi.waitFor(() => expect(socket.bufferedAmount).toBeGreaterThan(0));
    socket.onclose?.({ code: 1006, reason: "" } as CloseEvent);
    await answering;
    expect(closed).toEqual(["the socket closed (1006)"]);
  });

  it("closes at bytes that are no frame", () => {
    socket.give(new ArrayBuffer(3));
    expect(socket.closedWith?.[0]).toBe(4400);
    expect(closed).toHaveLength(1);
    socket.onclose?.({ code: 4400, reason: "" } as CloseEvent);
    expect(closed).toHaveLength(1);
  });

  it("closes at a text message", () => {
    socket.give("hello");
    expect(closed[0]).toContain("binary");
  });

  it("says goodbye before it closes", () => {
    connection.close("done");
    expect(socket.heard.at(-1)).toEqual({ type: "ended", reason: "done" });
    expect(closed).toEqual(["done"]);
  });

  it("refuses an answer over the limit, so that it can still be failed", async () => {
    const small = new FakeSocket();
    const heard = small.heard;
    const other = new Connection(small, helloOf("engine"), { event: () => {}, closed: () => {} });
    const limits = { max_frame_bytes: 1024, max_message_bytes: 4096 };
    const host = new Session({ ...helloOf("page"), role: "host", limits });
    Object.assign(small, { host });
    small.opened();
    small.say(host.request({ type: "get", handle: 1 }));
    await expect(other.answer(1, {}, payload(1))).rejects.toMatchObject({ code: "too_large" });
    await other.answer(1, {});
    expect(heard.at(-1)?.type).toBe("answered");
  });
});
