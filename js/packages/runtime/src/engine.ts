import type { Note, Start } from "./notes.ts";
import type { Settings } from "./settings.ts";

/** The part of a Worker that its handle uses, so that a test can pass its own. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: unknown): void;
  terminate(): void;
}

/** Waits until nobody holds a lock. */
export type LockFree = (lock: string) => Promise<void>;

/** One engine Worker, from its start to its end. */
export class EngineWorker {
  private readonly worker: WorkerLike;
  private readonly lock: string;
  private readonly lockFree: LockFree;

  constructor(
    worker: WorkerLike,
    settings: Settings,
    lockFree: LockFree,
    onNote: (note: Note) => void,
  ) {
    this.worker = worker;
    this.lockFree = lockFree;
    this.lock = `engine-${crypto.randomUUID()}`;
    worker.onmessage = ({ data }) => onNote(data as Note);
    worker.onerror = () => onNote({ type: "broken" });
    worker.postMessage({ ...settings, lock: this.lock } satisfies Start);
  }

  /** Ends the Worker; settles when it is gone, and its memory with it. */
  async end(): Promise<void> {
    this.worker.onmessage = null;
    this.worker.onerror = null;
    this.worker.terminate();
    await this.lockFree(this.lock);
  }
}

/** Waits for a lock of this origin to be free. */
export async function lockFree(lock: string): Promise<void> {
  await navigator.locks.request(lock, () => undefined);
}
