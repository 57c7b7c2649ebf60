import { beforeEach, describe, expect, it, vi } from "vitest";
import { Runtime } from "../../src/backends/runtime.ts";
import { Engine } from "../../src/inference/engine.ts";
import { Service } from "../../src/inference/service.ts";
import { nextTurn } from "../../src/inference/turn.ts";
import type { Request } from "../../src/protocol/events.ts";
import type { Run } from "../../src/protocol/generated/messages.ts";
import type { Tensors } from "../../src/protocol/tensor.ts";
import { floats, loadOf, numbers, PlusOne, Recorder, ZeroBlocks } from "./fakes.ts";

const NONE: Tensors = new Map();
const FRAME: Tensors = new Map([["t", floats(1, 2)]]);

let backend: PlusOne;
let blocks: ZeroBlocks;
/** No test here makes it start. */
const RUNTIME = new Runtime({ folder: "file:///", threads: 1 });
let replies: Recorder;
let service: Service;

beforeEach(() => {
  backend = new PlusOne();
  blocks = new ZeroBlocks();
  replies = new Recorder();
  service = new Service(new Engine([backend], blocks, RUNTIME), replies, replies);
});

async function ask(message: Request, tensors = NONE): Promise<void> {
  service.ask(message, tensors);
  await replies.replied(message.id);
  // After each answer the queue looks once more for what came behind it.
  await nextTurn();
  await nextTurn();
}

function code(id: number): string | undefined {
  return replies.errors.get(id)?.code;
}

function output(id: number, name: string): number[] {
  const tensor = replies.answers.get(id)?.tensors.get(name);
  if (!tensor) throw new Error(`request ${id} brought no ${name}`);
  return numbers(tensor);
}

/** A plan of `steps` runs of the model, each over the one before. */
function chain(id: number, steps: number, more: Partial<Run> = {}): Run {
  const step = (i: number) => ({
    model: "m",
    inputs: { x: i === 0 ? { tensor: "t" } : { step: i - 1, output: "y" } },
  });
  const fetch = [{ of: { step: steps - 1, output: "y" }, as: "result" }];
  const all = Array.from({ length: steps }, (_, i) => step(i));
  return { type: "run", id, steps: all, fetch, keep: [], ...more };
}

describe("tally", () => {
  it("counts what is held, and is zero again when all is gone", async () => {
    await ask(loadOf(1, "m"));
    await ask({ type: "put", id: 2, handle: 7 }, new Map([["data", floats(1, 2, 3)]]));
    await ask({ type: "tally", id: 3 });
    expect(replies.answers.get(3)?.value).toEqual({
      models: 1,
      weight_bytes: 8,
      handles: 1,
      handle_bytes: 12,
      tensors: 0,
    });
    await ask({ type: "drop", id: 4, handles: [7] });
    await ask({ type: "unload", id: 5, model: "m" });
    await ask({ type: "tally", id: 6 });
    const zero = { models: 0, weight_bytes: 0, handles: 0, handle_bytes: 0, tensors: 0 };
    expect(replies.answers.get(6)?.value).toEqual(zero);
  });
});

describe("weights that are lent", () => {
  const lent = (input: string, cid = "blent") => ({
    input,
    cid,
    size: 8,
    dtype: "F32",
    shape: [2],
  });

  it("are fetched and held once for all models, and go with the last one", async () => {
    await ask({ ...loadOf(1, "m"), lent: [lent("w"), lent("v")] });
    await ask({ ...loadOf(2, "n"), lent: [lent("x")] });
    expect(blocks.fetched.filter(({ cid }) => cid === "blent")).toHaveLength(2);
    expect(backend.alive).toBe(1);
    await ask({ type: "tally", id: 3 });
    expect(replies.answers.get(3)?.value).toMatchObject({ models: 2, weight_bytes: 24 });
    // What is lent is what the model computes with: zeros, in place of the caller's x.
    await ask(chain(4, 1, { steps: [{ model: "n", inputs: {} }] }));
    expect(output(4, "result")).toEqual([1, 1]);
    await ask({ type: "unload", id: 5, model: "n" });
    expect(backend.alive).toBe(1);
    await ask({ type: "unload", id: 6, model: "m" });
    expect(backend.alive).toBe(0);
  });

  it("that are not what they say end the load, and leave nothing", async () => {
    await ask({ ...loadOf(1, "m"), lent: [lent("v"), { ...lent("w"), shape: [3] }] });
    expect(code(1)).toBe("model_invalid");
    expect([backend.models, backend.alive]).toEqual([0, 0]);
  });
});

describe("load", () => {
  it("fetches all blocks, tells how far it is, and says what it made", async () => {
    await ask(loadOf(1, "m"));
    expect(blocks.fetched.map(({ cid }) => cid)).toEqual(["bgraph", "bweight"]);
    expect(replies.progresses.at(-1)).toEqual([1, "fetch", 12, 12]);
    expect(replies.answers.get(1)?.value).toMatchObject({
      platform: "fake",
      backend: "fake of 4+1",
      device: "cpu",
      weight_bytes: 8,
      inputs: [{ name: "x", dtype: "F32", shape: ["n"] }],
    });
  });

  it("answers at once for a key that is there", async () => {
    await ask(loadOf(1, "m"));
    await ask(loadOf(2, "m"));
    expect(backend.models).toBe(1);
    expect(blocks.fetched).toHaveLength(2);
    expect(replies.answers.get(2)?.value).toMatchObject({ fetch_ms: 0, create_ms: 0 });
  });

  it("leaves nothing behind where it fails", async () => {
    backend.refusal = new Error("no such operator");
    await ask(loadOf(1, "m"));
    expect(replies.errors.get(1)?.message).toContain("no such operator");
    backend.refusal = undefined;
    await ask(loadOf(2, "m"));
    expect(replies.answers.has(2)).toBe(true);
  });

  it("refuses a platform that isn't there", async () => {
    await ask({ ...loadOf(1, "m"), platform: "webgpu" });
    expect(code(1)).toBe("bad_option");
    expect(replies.errors.get(1)?.message).toContain("fake");
  });

  it("is unloaded, also twice", async () => {
    await ask(loadOf(1, "m"));
    await ask({ type: "unload", id: 2, model: "m" });
    await ask({ type: "unload", id: 3, model: "m" });
    expect(backend.models).toBe(0);
    await ask(chain(4, 1), FRAME);
    expect(code(4)).toBe("model_not_loaded");
  });
});

describe("run", () => {
  beforeEach(() => ask(loadOf(1, "m")));

  it("leaves what is between two steps where it is, and frees all else", async () => {
    await ask(chain(2, 3), FRAME);
    expect(output(2, "result")).toEqual([4, 5]);
    const value = replies.answers.get(2)?.value as { steps: object[]; queued_ms: number };
    expect(value.steps).toHaveLength(3);
    expect(value.queued_ms).toBeGreaterThanOrEqual(0);
    expect(backend.alive).toBe(0);
  });

  it("keeps an output under a handle, which a later run takes", async () => {
    await ask(chain(2, 1, { keep: [{ step: 0, output: "y", handle: 7 }] }), FRAME);
    const steps = [{ model: "m", inputs: { x: { handle: 7 } } }];
    await ask(chain(3, 1, { steps }));
    expect(output(3, "result")).toEqual([3, 4]);
    await ask({ type: "drop", id: 4, handles: [7, 8] });
    expect(replies.answers.get(4)?.value).toEqual({ dropped: 1 });
    expect(backend.alive).toBe(0);
  });

  it.each([
    [
      "a tensor that isn't in the frame",
      { steps: [{ model: "m", inputs: { x: { tensor: "?" } } }] },
      "tensor_not_found",
    ],
    [
      "a handle that isn't live",
      { steps: [{ model: "m", inputs: { x: { handle: 3 } } }] },
      "tensor_not_found",
    ],
    [
      "a step that isn't earlier",
      { steps: [{ model: "m", inputs: { x: { step: 0, output: "y" } } }] },
      "tensor_not_found",
    ],
    [
      "an output that isn't there",
      { fetch: [{ of: { step: 0, output: "z" }, as: "r" }] },
      "tensor_not_found",
    ],
    [
      "a step that isn't there",
      { fetch: [{ of: { step: 1, output: "y" }, as: "r" }] },
      "tensor_not_found",
    ],
    [
      "a name twice",
      { fetch: [0, 0].map((step) => ({ of: { step, output: "y" }, as: "r" })) },
      "tensor_exists",
    ],
    [
      "a handle twice",
      { keep: [0, 0].map((step) => ({ step, output: "y", handle: 2 })) },
      "tensor_exists",
    ],
    [
      "an output twice",
      { keep: [2, 3].map((handle) => ({ step: 0, output: "y", handle })) },
      "tensor_exists",
    ],
    ["a model that isn't loaded", { steps: [{ model: "n", inputs: {} }] }, "model_not_loaded"],
  ])("refuses %s before anything runs", async (_, more, expected) => {
    await ask(chain(2, 1, more as Partial<Run>), FRAME);
    expect(code(2)).toBe(expected);
    expect(backend.runs).toBe(0);
  });

  it("fetches what is live, with no step at all", async () => {
    await ask(loadOf(1, "m"));
    await ask({ type: "put", id: 2, handle: 7 }, new Map([["data", floats(5)]]));
    const fetch = [{ of: { handle: 7 }, as: "result" }];
    await ask({ type: "run", id: 3, steps: [], fetch, keep: [] });
    expect(output(3, "result")).toEqual([5]);
    await ask({ type: "run", id: 4, steps: [], fetch: [{ of: { handle: 8 }, as: "r" }], keep: [] });
    expect(code(4)).toBe("tensor_not_found");
  });

  it("keeps nothing where a step fails", async () => {
    backend.refusal = new Error("bad node");
    await ask(chain(2, 1, { keep: [{ step: 0, output: "y", handle: 7 }] }), FRAME);
    expect(code(2)).toBe("run_failed");
    await ask({ type: "get", id: 3, handle: 7 });
    expect(code(3)).toBe("tensor_not_found");
  });
});

describe("tensors", () => {
  it("are put, given back and refused a handle in use", async () => {
    await ask({ type: "put", id: 1, handle: 5 }, new Map([["data", floats(1.5)]]));
    await ask({ type: "put", id: 2, handle: 5 }, new Map([["data", floats(2)]]));
    await ask({ type: "get", id: 3, handle: 5 });
    expect(code(2)).toBe("tensor_exists");
    expect(output(3, "data")).toEqual([1.5]);
  });

  it("do not hold on to a large frame", async () => {
    const frame = new Uint8Array(1 << 20);
    const data = frame.subarray(8, 12);
    await ask(
      { type: "put", id: 1, handle: 5 },
      new Map([["data", { dtype: "F32", shape: [1], data }]]),
    );
    await ask({ type: "get", id: 2, handle: 5 });
    expect(replies.answers.get(2)?.tensors.get("data")?.data.buffer.byteLength).toBe(4);
  });

  it("need to be in their frame", async () => {
    await ask({ type: "put", id: 1, handle: 5 });
    expect(code(1)).toBe("tensor_not_found");
  });
});

describe("the queue", () => {
  beforeEach(() => ask(loadOf(1, "m")));

  it("takes one request at a time, in order", async () => {
    for (const id of [2, 3, 4]) service.ask(chain(id, 1), FRAME);
    expect(replies.busy).toEqual([2]);
    await replies.replied(4);
    expect(replies.order).toEqual([1, 2, 3, 4]);
  });

  it("answers a ping past it", async () => {
    const release = holdRuns();
    service.ask(chain(2, 1), FRAME);
    await ask({ type: "ping", id: 3 });
    expect(replies.answers.get(3)?.value).toEqual({});
    release();
    await replies.replied(2);
  });

  it("never begins what was cancelled while it waited", async () => {
    const release = holdRuns();
    service.ask(chain(2, 1), FRAME);
    service.ask(chain(3, 1), FRAME);
    service.cancel(3);
    release();
    await replies.replied(3);
    expect(replies.answers.has(2)).toBe(true);
    expect(code(3)).toBe("cancelled");
    expect(backend.runs).toBe(1);
  });

  it("reads what came behind a run before it begins the next", async () => {
    const answer = replies.answer.bind(replies);
    replies.answer = async (id, value, tensors) => {
      // What a socket does: both came during the run, and each is a task of its own.
      if (id === 2) {
        setTimeout(() => service.ask(chain(3, 1), FRAME), 0);
        setTimeout(() => service.cancel(3), 0);
      }
      await answer(id, value, tensors);
    };
    service.ask(chain(2, 1), FRAME);
    await vi.waitFor(() => expect(code(3)).toBe("cancelled"));
    expect(backend.runs).toBe(1);
  });

  it("ends a plan between two steps", async () => {
    const release = holdRuns();
    service.ask(chain(2, 3), FRAME);
    service.cancel(2);
    release();
    await replies.replied(2);
    expect(code(2)).toBe("cancelled");
    expect(backend.runs).toBe(1);
    expect(backend.alive).toBe(0);
  });

  it("ends a load in its fetch", async () => {
    blocks.hold = true;
    service.ask(loadOf(2, "other"), NONE);
    service.cancel(2);
    await replies.replied(2);
    expect(code(2)).toBe("cancelled");
  });

  it("does nothing for a cancel of what it doesn't know", () => {
    service.cancel(99);
    expect(replies.order).toEqual([1]);
  });

  it("refuses what belongs to the page", async () => {
    await ask({ type: "restart", id: 2, reason: "test", runtime: "plain" });
    expect(code(2)).toBe("bad_option");
  });
});

/** Holds every run up until what it returns is called. */
function holdRuns(): () => void {
  let release = () => {};
  backend.hold = new Promise((resolve) => {
    release = resolve;
  });
  return release;
}
