import { decode, type Frame, frameOf } from "./codec.ts";
import { AccelerateError, fromCode } from "./errors.ts";
import type { Event, Request, Unnumbered } from "./events.ts";
import type { Beat, Goodbye, Hello, Limits, Message } from "./generated/messages.ts";
import { type Outgoing, outgoing } from "./outgoing.ts";
import { badFrame, outOfOrder } from "./refusals.ts";
import { Streams } from "./streams.ts";
import type { Tensors } from "./tensor.ts";
import { Used } from "./used.ts";

/** The version of the wire that this package speaks. */
export const WIRE_VERSION = 1;

/** One side of a channel: frames and calls go in, events and frames come out, nothing is sent. */
export class Session {
  /** Where the channel stands: `opening` until both hellos have passed. */
  state: "opening" | "open" | "closed" = "opening";
  /** What the other side said of itself. */
  peer: Hello | undefined;
  /** Answers and progress that came for no open request. */
  lateReplies = 0;

  private readonly hello: Hello;
  private greeted = false;
  private lastId = 0;
  private lastStream = 0;
  private readonly ours = new Set<number>();
  /** Ours that were cancelled, until their answer comes. */
  private readonly cancelled = new Set<number>();
  /** What the other side asked, and whether it has asked for a cancel since. */
  private readonly theirs = new Map<number, boolean>();
  private readonly used = new Used();
  private readonly streams = new Streams();

  /** `hello` is what this side says of itself, with its limits. */
  constructor(hello: Hello) {
    this.hello = hello;
  }

  /** Our requests that are not answered yet. */
  get openRequests(): ReadonlySet<number> {
    return this.ours;
  }

  /** The limits that bind both sides: the smaller of each; our own until the other's are known. */
  get limits(): Limits {
    const own = this.hello.limits;
    const other = this.peer?.limits ?? own;
    return {
      max_frame_bytes: Math.min(own.max_frame_bytes, other.max_frame_bytes),
      max_message_bytes: Math.min(own.max_message_bytes, other.max_message_bytes),
    };
  }

  /** Our hello, which is to be sent first. */
  start(): Frame {
    if (this.greeted || this.state === "closed") throw outOfOrder("hello is said once, first.");
    this.greeted = true;
    this.openIfGreeted();
    return frameOf(this.hello);
  }

  /** A request's frame, with the id that its answer will carry. */
  request(message: Unnumbered, tensors?: Tensors): Frame {
    this.requireOpen(message.type);
    const id = ++this.lastId;
    this.ours.add(id);
    return frameOf({ ...message, id } as Request, tensors);
  }

  /** How far a request of the other side is; `undefined` where it is answered already. */
  progress(id: number, stage: string, done: number, total: number): Frame | undefined {
    if (!this.theirs.has(id)) return undefined;
    return frameOf({ type: "progress", id, stage, done, total });
  }

  /** The result of a request of the other side; `undefined` where it is answered already. */
  answer(id: number, value: object = {}, tensors?: Tensors): Frame | undefined {
    if (!this.theirs.delete(id)) return undefined;
    return frameOf({ type: "result", id, value: value as Record<string, unknown> }, tensors);
  }

  /** The error of a request of the other side; `undefined` where it is answered already. */
  fail(id: number, { code, message, details }: AccelerateError): Frame | undefined {
    if (!this.theirs.delete(id)) return undefined;
    return frameOf({ type: "error", id, code, message, details });
  }

  /** A message that nobody answers. A goodbye closes the session: it is the last frame. */
  notify(message: Beat | Goodbye): Frame {
    this.requireOpen(message.type);
    if (message.type === "goodbye") this.close();
    return frameOf(message);
  }

  /** Asks the other side to stop; its answer will be dropped. `undefined` where nothing is to stop. */
  cancel(id: number): Frame | undefined {
    if (this.state === "closed" || !this.ours.delete(id)) return undefined;
    this.cancelled.add(id);
    return frameOf({ type: "cancel", id });
  }

  /**
   * The frame's bytes, in pieces under the agreed limits; `too_large` before the first of them.
   * A frame that is refused here, or aborted, counts as never made.
   */
  pieces(frame: Frame): Outgoing {
    const undo = () => this.unmake(frame.message);
    try {
      return outgoing(frame, this.limits, () => ++this.lastStream, undo);
    } catch (error) {
      undo();
      throw error;
    }
  }

  /** What these bytes mean. An error closes the session; a closed one drops them unread. */
  receive(data: Uint8Array): Event[] {
    if (this.state === "closed") return [];
    try {
      this.checkSize(data.byteLength);
      return this.handle(decode(data), false);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The socket is gone: every open request fails with `connection_lost`. */
  lost(): Event[] {
    this.close();
    this.cancelled.clear();
    const open = [...this.ours].sort((a, b) => a - b);
    this.ours.clear();
    return open.map((id) => ({ type: "refused", id, error: connectionLost(`The request ${id}`) }));
  }

  private handle(frame: Frame, assembled: boolean): Event[] {
    const { message, tensors } = frame;
    if (message.type === "hello") return this.handleHello(message);
    if (this.state !== "open") throw outOfOrder(`${message.type} came before hello.`);
    switch (message.type) {
      case "part":
        if (assembled) throw badFrame("A frame made of parts is itself a part.");
        return this.handlePart(frame);
      case "abort":
        this.streams.abort(message.stream);
        return [];
      case "beat":
        return [{ type: "beaten", beat: message }];
      case "goodbye":
        return [...this.lost(), { type: "ended", reason: message.reason }];
      case "cancel":
        return this.handleCancel(message.id);
      case "progress":
      case "result":
      case "error":
        return this.handleReply(message, tensors);
      default:
        return this.handleRequest(message, tensors);
    }
  }

  private handleHello(hello: Hello): Event[] {
    if (this.peer) throw outOfOrder("a second hello came.");
    if (hello.version !== this.hello.version) {
      throw new AccelerateError(
        "version_mismatch",
        `The other side speaks version ${hello.version}, this one ${this.hello.version}: update the older.`,
      );
    }
    this.peer = hello;
    this.openIfGreeted();
    return [{ type: "opened", hello }];
  }

  private handlePart({ message, tensors }: Frame): Event[] {
    if (message.type !== "part") return [];
    const whole = this.streams.accept(message, tensors, this.limits.max_message_bytes);
    return whole ? this.handle(decode(whole), true) : [];
  }

  private handleRequest(message: Request, tensors: Tensors): Event[] {
    const { id } = message;
    if (!this.used.add(id)) throw outOfOrder(`the id ${id} was used before.`);
    this.theirs.set(id, false);
    return [{ type: "asked", id, message, tensors }];
  }

  private handleCancel(id: number): Event[] {
    if (this.theirs.get(id) !== false) return [];
    this.theirs.set(id, true);
    return [{ type: "cancelAsked", id }];
  }

  private handleReply(
    message: Extract<Message, { type: "progress" | "result" | "error" }>,
    tensors: Tensors,
  ): Event[] {
    const { id, type } = message;
    if (type !== "progress" && this.cancelled.delete(id)) return [];
    if (!this.ours.has(id)) {
      if (!this.cancelled.has(id)) this.lateReplies += 1;
      return [];
    }
    if (type === "progress") {
      const { stage, done, total } = message;
      return [{ type: "progressed", id, stage, done, total }];
    }
    this.ours.delete(id);
    if (type === "result") return [{ type: "answered", id, value: message.value, tensors }];
    const error = fromCode(message.code, message.message, message.details);
    return [{ type: "refused", id, error }];
  }

  private openIfGreeted(): void {
    if (this.greeted && this.peer) this.state = "open";
  }

  private close(): void {
    this.state = "closed";
    this.theirs.clear();
  }

  /** Puts the tables back as they were before this message was made. */
  private unmake(message: Message): void {
    if (message.type === "result" || message.type === "error") {
      if (this.state === "open") this.theirs.set(message.id, false);
    } else if ("id" in message && message.type !== "progress" && message.type !== "cancel") {
      this.ours.delete(message.id);
    }
  }

  private requireOpen(type: Message["type"]): void {
    if (this.state === "opening") throw outOfOrder(`a ${type} came before both hellos.`);
    if (this.state === "closed") throw connectionLost(`A ${type}`);
  }

  private checkSize(bytes: number): void {
    const { max_frame_bytes: allowed } = this.limits;
    if (bytes > allowed) {
      throw new AccelerateError(
        "too_large",
        `A frame of ${bytes} bytes is over the ${allowed} agreed.`,
      );
    }
  }
}

function connectionLost(what: string): AccelerateError {
  return new AccelerateError(
    "connection_lost",
    `${what} met a connection that has ended: send it again on a new one.`,
  );
}
