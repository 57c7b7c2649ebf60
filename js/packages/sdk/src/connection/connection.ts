import type { Frame } from "../protocol/codec.ts";
import { AccelerateError } from "../protocol/errors.ts";
import type { Event as SessionEvent } from "../protocol/events.ts";
import type { Beat, Hello } from "../protocol/generated/messages.ts";
import type { Outgoing } from "../protocol/outgoing.ts";
import { Session } from "../protocol/session.ts";
import type { Tensors } from "../protocol/tensor.ts";
import type { Socket } from "./socket.ts";

/** Frames up to this many bytes go at once, past a long payload that waits for room. */
const SMALL_BYTES = 64 * 1024;
/** The next piece is made when no more than this waits in the socket. */
const HIGH_WATER_BYTES = 8 * 1024 * 1024;
/** A socket gives no sign of having room, so it is looked at this often. */
const LOOK_EVERY_MS = 2;
const NORMAL_CLOSURE = 1000;
const PROTOCOL_FAULT = 4400;

/** Who is told what happens on a connection. */
export interface Listener {
  event(event: SessionEvent): void;
  /** The connection has ended; nothing follows. */
  closed(reason: string): void;
}

/** A session over a socket: carries bytes in, events out, and frames out as the socket takes them. */
export class Connection {
  private readonly session: Session;
  private readonly socket: Socket;
  private readonly listener: Listener;
  private tail: Promise<void> = Promise.resolve();
  private ended = false;
  private scratch = new Uint8Array(0);

  constructor(socket: Socket, hello: Hello, listener: Listener) {
    this.session = new Session(hello);
    this.socket = socket;
    this.listener = listener;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.push(this.session.start());
    socket.onmessage = ({ data }) => this.receive(data);
    socket.onclose = ({ code, reason }) => this.end(reason || `the socket closed (${code})`);
  }

  /** Whether both sides have said hello, and neither has left. */
  get open(): boolean {
    return this.session.state === "open";
  }

  /** Says how far a request of the other side is. */
  progress(id: number, stage: string, done: number, total: number): void {
    this.push(this.session.progress(id, stage, done, total));
  }

  /** Answers a request of the other side; done when the socket has taken all of it. */
  async answer(id: number, value: object = {}, tensors?: Tensors): Promise<void> {
    await this.send(this.session.answer(id, value, tensors));
  }

  /** Refuses a request of the other side. */
  async fail(id: number, error: AccelerateError): Promise<void> {
    await this.send(this.session.fail(id, error));
  }

  /** Says how the engine is. */
  beat(beat: Beat): void {
    if (this.open) this.push(this.session.notify(beat));
  }

  /** Says goodbye where that is allowed, and closes the socket. */
  close(reason: string): void {
    if (this.open) this.push(this.session.notify({ type: "goodbye", reason }));
    this.socket.close(NORMAL_CLOSURE);
    this.end(reason);
  }

  private receive(data: unknown): void {
    try {
      if (!(data instanceof ArrayBuffer)) throw notBinary();
      for (const event of this.session.receive(new Uint8Array(data))) this.listener.event(event);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      // A close reason holds 123 bytes; two per character leave room for most of it.
      this.socket.close(PROTOCOL_FAULT, reason.slice(0, 60));
      this.end(reason);
    }
  }

  private end(reason: string): void {
    if (this.ended) return;
    this.ended = true;
    for (const event of this.session.lost()) this.listener.event(event);
    this.listener.closed(reason);
  }

  /** Sends what is known to be small. */
  private push(frame: Frame | undefined): void {
    void this.send(frame);
  }

  private async send(frame: Frame | undefined): Promise<void> {
    if (!frame || this.ended) return;
    const pieces = this.session.pieces(frame);
    if (pieces.size <= SMALL_BYTES) {
      this.sendNow(pieces);
      return;
    }
    const before = this.tail;
    this.tail = before.then(() => this.drain(pieces));
    await this.tail;
  }

  private sendNow(pieces: Outgoing): void {
    for (let piece = this.pieceOf(pieces); piece; piece = this.pieceOf(pieces)) {
      this.socket.send(piece);
    }
  }

  private async drain(pieces: Outgoing): Promise<void> {
    await this.room();
    while (!this.ended) {
      const piece = this.pieceOf(pieces);
      if (!piece) break;
      this.socket.send(piece);
      await this.room();
    }
  }

  /** A socket copies what it is given, so each piece is made where the last one was. */
  private pieceOf(pieces: Outgoing): Uint8Array<ArrayBuffer> | undefined {
    return pieces.next((bytes) => {
      if (this.scratch.byteLength < bytes) this.scratch = new Uint8Array(bytes);
      return this.scratch.subarray(0, bytes);
    });
  }

  private async room(): Promise<void> {
    while (!this.ended && this.socket.bufferedAmount > HIGH_WATER_BYTES) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}

function notBinary(): AccelerateError {
  return new AccelerateError(
    "bad_frame",
    "A text message came: every message of the wire is binary.",
  );
}
