import { describe, expect, it } from "vitest";
import { decode, encode, type Frame, frameOf } from "../../src/protocol/codec.ts";
import { AccelerateError, fromCode } from "../../src/protocol/errors.ts";
import type { Event, Unnumbered } from "../../src/protocol/events.ts";
import type { Beat, Goodbye, Hello, Message } from "../../src/protocol/generated/messages.ts";
import { Session } from "../../src/protocol/session.ts";
import {
  fromHex,
  type HexTensors,
  hexOf,
  readVectors,
  scenarioFiles,
  tensorsOf,
} from "./vectors.ts";

interface Step {
  do: string;
  id: number;
  message: Message;
  tensors?: HexTensors;
  stage: string;
  done: number;
  total: number;
  value: object;
  refusal: { code: string; message: string; details: Record<string, unknown> };
  hex: string;
  abort_after?: number;
  sends?: { message: Message; tensors?: HexTensors }[];
  split?: boolean;
  aborted?: boolean;
  events?: Record<string, unknown>[];
  error?: string;
  state?: string;
  late_replies?: number;
  open_requests?: number[];
}

interface Came {
  sends: object[];
  split: boolean;
  aborted: boolean;
  events: Event[];
  error?: string;
}

/** The frame that a step makes, or the events that it brings. */
function carryOut(session: Session, step: Step): Frame | Event[] | undefined {
  switch (step.do) {
    case "start":
      return session.start();
    case "request":
      return session.request(step.message as Unnumbered, tensorsOf(step.tensors));
    case "progress":
      return session.progress(step.id, step.stage, step.done, step.total);
    case "answer":
      return session.answer(step.id, step.value, tensorsOf(step.tensors));
    case "fail": {
      const { code, message, details } = step.refusal;
      return session.fail(step.id, fromCode(code, message, details));
    }
    case "notify":
      return session.notify(step.message as Beat | Goodbye);
    case "cancel":
      return session.cancel(step.id);
    case "receive":
      return session.receive(encode(frameOf(step.message, tensorsOf(step.tensors))));
    case "receive_bytes":
      return session.receive(fromHex(step.hex));
    case "lost":
      return session.lost();
    default:
      throw new Error(`no step is called ${step.do}`);
  }
}

/** Takes the pieces as a socket would, and puts them together again. */
function take(session: Session, frame: Frame, step: Step, came: Came): void {
  const outgoing = session.pieces(frame);
  const limit = session.limits.max_frame_bytes;
  const pieces: Uint8Array[] = [];
  const stop = step.abort_after ?? Number.POSITIVE_INFINITY;
  let piece = pieces.length < stop ? outgoing.next() : undefined;
  while (piece) {
    expect(piece.byteLength).toBeLessThanOrEqual(limit);
    pieces.push(piece);
    piece = pieces.length < stop ? outgoing.next() : undefined;
  }
  if (step.abort_after !== undefined) {
    const abort = outgoing.abort();
    came.aborted = abort !== undefined;
    if (abort) expect(decode(abort).message).toEqual({ type: "abort", stream: streamOf(pieces) });
    return;
  }
  came.split = pieces.length > 1;
  const whole = decode(pieces.length > 1 ? joined(pieces) : (pieces[0] as Uint8Array));
  came.sends.push({ message: whole.message, tensors: hexOf(whole.tensors) });
}

function streamOf(pieces: readonly Uint8Array[]): number {
  const { message } = decode(pieces[0] as Uint8Array);
  return message.type === "part" ? message.stream : 0;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes: number[] = [];
  let total = 0;
  for (const piece of pieces) {
    const { message, tensors } = decode(piece);
    if (message.type !== "part") throw new Error("a piece of several is not a part");
    expect(message).toMatchObject({ stream: streamOf(pieces), offset: bytes.length });
    total = message.total;
    const part = tensors.get("part")?.data ?? new Uint8Array();
    expect(part.byteLength).toBeGreaterThan(0);
    for (const byte of part) bytes.push(byte);
  }
  expect(bytes.length).toBe(total);
  return new Uint8Array(bytes);
}

/** An event as the vectors write it. */
function written(event: Event): Record<string, unknown> {
  const { type, ...rest } = event;
  const name = type === "cancelAsked" ? "cancel_asked" : type;
  if (event.type === "refused") {
    const { code, message, details } = event.error;
    return { event: name, id: event.id, code, message, details };
  }
  if ("tensors" in event) return { event: name, ...rest, tensors: hexOf(event.tensors) };
  return { event: name, ...rest };
}

function run(session: Session, step: Step): Came {
  const came: Came = { sends: [], split: false, aborted: false, events: [] };
  try {
    const result = carryOut(session, step);
    if (Array.isArray(result)) came.events = result;
    else if (result) take(session, result, step, came);
  } catch (error) {
    if (!(error instanceof AccelerateError)) throw error;
    came.error = error.code;
  }
  return came;
}

function check(session: Session, step: Step): void {
  const came = run(session, step);
  expect(came.error).toBe(step.error);
  expect(came.sends).toEqual(
    (step.sends ?? []).map(({ message, tensors = {} }) => ({ message, tensors })),
  );
  expect(came.split).toBe(step.split ?? false);
  expect(came.aborted).toBe(step.aborted ?? false);
  const expected = step.events ?? [];
  expect(came.events).toHaveLength(expected.length);
  came.events.map(written).forEach((event, i) => {
    const { tensors = {}, ...rest } = expected[i] as { tensors?: HexTensors };
    expect(event).toMatchObject(rest);
    if ("tensors" in event) expect(event.tensors).toEqual(tensors);
  });
  if (step.state) expect(session.state).toBe(step.state);
  if (step.late_replies !== undefined) expect(session.lateReplies).toBe(step.late_replies);
  if (step.open_requests) {
    expect([...session.openRequests].sort((a, b) => a - b)).toEqual(step.open_requests);
  }
}

describe("scenarios", () => {
  it.each(scenarioFiles())("%s", (file) => {
    const { hello, steps } = readVectors<{ hello: Hello; steps: Step[] }>("sessions", file);
    const session = new Session(hello);
    for (const step of steps) check(session, step);
  });
});
