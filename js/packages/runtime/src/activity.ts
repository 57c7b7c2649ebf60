import type { Beat } from "ipfs-accelerate-js";
import type { Note } from "./notes.ts";

/** What the engine is doing, as its notes tell it: pure, the time comes in. */
export class Activity {
  state: Beat["engine"] = "starting";
  models: readonly string[] = [];
  private request: number | undefined;
  private since = 0;

  /** A fresh Worker has been started. */
  restarted(): void {
    this.state = "starting";
    this.models = [];
    this.request = undefined;
  }

  /** A note has come from the Worker. */
  noted(note: Note, now: number): void {
    switch (note.type) {
      case "began":
        this.state = "busy";
        this.request = note.id;
        this.since = now;
        break;
      case "connected":
        this.state = "idle";
        break;
      case "ended":
        this.state = "idle";
        this.models = note.models;
        this.request = undefined;
        break;
      default:
        this.state = "ended";
        this.models = [];
        this.request = undefined;
    }
  }

  /** The beat that says it. */
  beat(now: number): Beat {
    if (this.request === undefined) return { type: "beat", engine: this.state };
    const busy_ms = Math.max(0, now - this.since);
    return { type: "beat", engine: this.state, request: this.request, busy_ms };
  }
}
