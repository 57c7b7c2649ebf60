import { serveEngine, usableThreads, WasmBackend } from "ipfs-accelerate-js";
import type { Note, Start } from "./notes.ts";

const note = (note: Note) => self.postMessage(note);

self.onmessage = ({ data: { server, threads: asked, lock } }: MessageEvent<Start>) => {
  // Held until this Worker is gone: its supervisor waits for the lock to know that.
  void navigator.locks.request(lock, () => new Promise(() => undefined));
  const threads = usableThreads(asked);
  const file = (name: string) =>
    new URL(`ort/ort-wasm-simd-threaded.${name}`, self.location.href).href;
  const backend = new WasmBackend({ mjs: file("mjs"), wasm: file("wasm"), threads });
  serveEngine(server, [backend], threads, {
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
