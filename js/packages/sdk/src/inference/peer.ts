import type { Runtime } from "../backends/runtime.ts";
import { Connection } from "../connection/connection.ts";
import { helloOf } from "../connection/hello.ts";
import { dial, type Server } from "../connection/socket.ts";
import { Blocks } from "../storage/blocks.ts";
import { everyBackend } from "./backends.ts";
import { capabilities } from "./capabilities.ts";
import { Engine } from "./engine.ts";
import { Service, type Watcher } from "./service.ts";

/** Who is told what an engine's connection does, beside what the engine does. */
export interface PeerWatcher extends Watcher {
  connected(): void;
  closed(reason: string): void;
}

/** Starts an engine that serves a host: the runtime gets ready while the socket is dialled. */
export function serveEngine(server: Server, runtime: Runtime, watcher: PeerWatcher): void {
  // One that can't start says so again, to the first load that needs it.
  if (runtime.kind) runtime.start("wasm").catch(() => undefined);
  const backends = everyBackend(runtime);
  const engine = new Engine(backends, new Blocks(server.base, server.token), runtime);
  const platforms = backends.map(({ platform }) => platform);
  const hello = helloOf("engine", capabilities(platforms, runtime));
  const connection = new Connection(dial(server, "engine"), hello, {
    event(event) {
      if (event.type === "opened") watcher.connected();
      else if (event.type === "asked") service.ask(event.message, event.tensors);
      else if (event.type === "cancelAsked") service.cancel(event.id);
    },
    closed: (reason) => watcher.closed(reason),
  });
  const service = new Service(engine, connection, watcher);
}
