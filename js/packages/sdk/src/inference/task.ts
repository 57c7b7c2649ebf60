import { AccelerateError } from "../protocol/errors.ts";
import { nextTurn } from "./turn.ts";

const PROGRESS_EVERY_MS = 100;

/** Tells the asker how far its request is. */
export type Report = (stage: string, done: number, total: number) => void;

/** One request on its way through the engine: when it came, how far it is, whether it is given up. */
export class Task {
  readonly arrived = performance.now();
  private readonly abort = new AbortController();
  private readonly report: Report;
  private reported = Number.NEGATIVE_INFINITY;

  constructor(report: Report) {
    this.report = report;
  }

  /** Aborted by `cancel`. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Asks the request to end at its next checkpoint. */
  cancel(): void {
    this.abort.abort();
  }

  /** Reports, at most some ten times a second, and always the end. */
  progress(stage: string, done: number, total: number): void {
    const now = performance.now();
    if (done < total && now - this.reported < PROGRESS_EVERY_MS) return;
    this.reported = now;
    this.report(stage, done, total);
  }

  /** Lets waiting messages in, and ends the request here if one of them gave it up. */
  async checkpoint(): Promise<void> {
    await nextTurn();
    this.throwIfCancelled();
  }

  /** Ends the request here if it was given up. */
  throwIfCancelled(): void {
    if (this.signal.aborted) throw new AccelerateError("cancelled", "The request was cancelled.");
  }
}
