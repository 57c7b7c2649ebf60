import {
  AccelerateError,
  Connection,
  type Event,
  helloOf,
  runtimeKind,
  type Socket,
} from "ipfs-accelerate-js";
import { Activity } from "./activity.ts";
import { EngineWorker, type LockFree, type WorkerLike } from "./engine.ts";
import type { Note } from "./notes.ts";
import type { Settings } from "./settings.ts";

const BEAT_EVERY_MS = 1000;
/** An engine that breaks this often before it has served anything is not started again. */
const MAX_FAILED_STARTS = 3;

/** What a supervisor is given of the page that it lives in. */
export interface Surroundings {
  startWorker(): WorkerLike;
  dial(): Socket;
  lockFree: LockFree;
  /** Shows the page's state to whoever looks at it. */
  show(state: string, models: readonly string[]): void;
}

/** Looks after the engine Worker: says every second how it is, and replaces it. */
export class Supervisor {
  private settings: Settings;
  private readonly around: Surroundings;
  private readonly activity = new Activity();
  private readonly connection: Connection;
  private readonly timer: ReturnType<typeof setInterval>;
  private engine: EngineWorker;
  private failedStarts = 0;
  private replacing: Promise<void> | undefined;

  constructor(settings: Settings, around: Surroundings) {
    this.settings = settings;
    this.around = around;
    this.engine = this.startEngine();
    this.connection = new Connection(around.dial(), helloOf("page"), {
      event: (event) => this.handle(event),
      closed: (reason) => this.end(reason),
    });
    this.timer = setInterval(() => this.beat(), BEAT_EVERY_MS);
  }

  private startEngine(): EngineWorker {
    const { settings, around } = this;
    const onNote = (note: Note) => this.noted(note);
    return new EngineWorker(around.startWorker(), settings, around.lockFree, onNote);
  }

  private noted(note: Note): void {
    this.activity.noted(note, performance.now());
    if (note.type === "ended") this.failedStarts = 0;
    if (note.type === "broken" && this.failedStarts < MAX_FAILED_STARTS) {
      this.failedStarts += 1;
      void this.replace();
    }
    if (note.type === "broken" || note.type === "closed") this.beat();
  }

  private handle(event: Event): void {
    if (event.type === "opened") this.beat();
    if (event.type === "ended") this.connection.close("the host has said goodbye");
    if (event.type === "asked") void this.answer(event);
  }

  private async answer({ id, message }: Extract<Event, { type: "asked" }>): Promise<void> {
    if (message.type === "restart") {
      this.failedStarts = 0;
      this.settings = { ...this.settings, kind: runtimeKind(message.runtime) };
      await this.replace();
      await this.connection.answer(id);
    } else if (message.type === "ping") {
      await this.connection.answer(id);
    } else {
      const text = `A page does not take ${message.type}: send it to its engine.`;
      await this.connection.fail(id, new AccelerateError("bad_option", text));
    }
  }

  /** Ends the engine and starts a fresh one; who asks meanwhile waits for the same one. */
  private replace(): Promise<void> {
    this.replacing ??= this.replaceNow().finally(() => {
      this.replacing = undefined;
    });
    return this.replacing;
  }

  private async replaceNow(): Promise<void> {
    this.activity.noted({ type: "broken" }, performance.now());
    await this.engine.end();
    this.activity.restarted();
    this.engine = this.startEngine();
    this.beat();
  }

  /**
   * The view follows the beats, not the notes: a page that is drawn twice for each request takes
   * milliseconds of the cores on which the request runs.
   */
  private beat(): void {
    this.connection.beat(this.activity.beat(performance.now()));
    this.show();
  }

  private show(): void {
    this.around.show(this.activity.state, this.activity.models);
  }

  private end(reason: string): void {
    clearInterval(this.timer);
    void this.engine.end();
    this.around.show(`ended, since ${reason}; this page may be closed`, []);
  }
}
