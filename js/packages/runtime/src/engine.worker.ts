import { Runtime, serveEngine } from "ipfs-accelerate-js";
import type { Note, Start } from "./notes.ts";

const note = (note: Note) => self.postMessage(note);

self.onmessage = ({ data: { server, threads, kind, lock } }: MessageEvent<Start>) => {
  // Held until this Worker is gone: its supervisor waits for the lock to know that.
  void navigator.locks.request(lock, () => new Promise(() => undefined));
  const folder = new URL("ort/", self.location.href).href;
  serveEngine(server, new Runtime({ folder, threads, kind }), {
    connected: () => note({ type: "connected" }),
    began: (id) => note({ type: "began", id }),
    ended: ({ broken, modelKeys: models }) =>
      note(broken ? { type: "broken" } : { type: "ended", models }),
    closed: (reason) => {
      note({ type: "closed", reason });
      self.close();
    },
  });
};
