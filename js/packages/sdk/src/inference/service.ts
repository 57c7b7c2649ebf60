import { AccelerateError } from "../protocol/errors.ts";
import type { Request } from "../protocol/events.ts";
import type { Put } from "../protocol/generated/messages.ts";
import type { Tensor, Tensors } from "../protocol/tensor.ts";
import type { Engine } from "./engine.ts";
import { Task } from "./task.ts";
import { nextTurn } from "./turn.ts";

/** What a request comes to: a value, and tensors. */
export type Answer = readonly [value: object, tensors?: Tensors];

/** The way back to the asker. */
export interface Replies {
  progress(id: number, stage: string, done: number, total: number): void;
  answer(id: number, value: object, tensors?: Tensors): Promise<void>;
  fail(id: number, error: AccelerateError): Promise<void>;
}

/** Who wants to know what the engine is busy with: during a run it can't be asked. */
export interface Watcher {
  began(id: number): void;
  ended(engine: Engine): void;
}

interface Waiting {
  readonly message: Request;
  readonly tensors: Tensors;
  readonly task: Task;
}

/** Takes requests in the order in which they come, one at a time, and answers each once. */
export class Service {
  private readonly engine: Engine;
  private readonly replies: Replies;
  private readonly watcher: Watcher;
  private readonly waiting: Waiting[] = [];
  private readonly tasks = new Map<number, Task>();
  private working = false;

  constructor(engine: Engine, replies: Replies, watcher: Watcher) {
    this.engine = engine;
    this.replies = replies;
    this.watcher = watcher;
  }

  /** A request has come. A ping is answered past the queue, all else in its turn. */
  ask(message: Request, tensors: Tensors): void {
    const { id, type } = message;
    if (type === "ping") {
      void this.replies.answer(id, {});
      return;
    }
    const task = new Task((stage, done, total) => this.replies.progress(id, stage, done, total));
    this.tasks.set(id, task);
    this.waiting.push({ message, tensors, task });
    if (!this.working) void this.work();
  }

  /** A request is given up: it ends before it begins, between two steps, or in a fetch. */
  cancel(id: number): void {
    this.tasks.get(id)?.cancel();
  }

  private async work(): Promise<void> {
    this.working = true;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      await this.carryOut(next);
      // What came during a run lies unread: the next request, and perhaps a cancel of it.
      await nextTurn();
    }
    this.working = false;
  }

  private async carryOut({ message, tensors, task }: Waiting): Promise<void> {
    const { id } = message;
    this.watcher.began(id);
    try {
      task.throwIfCancelled();
      const [value, results] = await this.answerTo(message, tensors, task);
      await this.replies.answer(id, value, results);
    } catch (cause) {
      await this.replies.fail(id, asError(cause));
    } finally {
      this.tasks.delete(id);
      this.watcher.ended(this.engine);
    }
  }

  private async answerTo(message: Request, tensors: Tensors, task: Task): Promise<Answer> {
    const { engine } = this;
    switch (message.type) {
      case "load":
        return [await engine.load(message, task)];
      case "run":
        return engine.run(message, tensors, task);
      case "unload":
        await engine.unload(message.model);
        return [{}];
      case "put":
        engine.put(message.handle, dataOf(message, tensors));
        return [{}];
      case "get":
        return [{}, new Map([["data", await engine.get(message.handle)]])];
      case "probe":
        return [await engine.probe(message)];
      case "tally":
        return [engine.tally()];
      case "drop":
        return [{ dropped: engine.drop(message.handles) }];
      default:
        throw new AccelerateError(
          "bad_option",
          `An engine does not take ${message.type}: send it to the page.`,
        );
    }
  }
}

function dataOf({ handle }: Put, tensors: Tensors): Tensor {
  const data = tensors.get("data");
  if (data) return data;
  throw new AccelerateError(
    "tensor_not_found",
    `The put of handle ${handle} carries no tensor named data.`,
  );
}

function asError(cause: unknown): AccelerateError {
  if (cause instanceof AccelerateError) return cause;
  const { message, stack } = cause instanceof Error ? cause : new Error(String(cause));
  return new AccelerateError("run_failed", `The engine failed: ${message}`, { stack: stack ?? "" });
}
