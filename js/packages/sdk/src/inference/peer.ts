import type { Backend } from "../backends/backend.ts";
import { Connection } from "../connection/connection.ts";
import { helloOf } from "../connection/hello.ts";
import { dial, type Server } from "../connection/socket.ts";
import { Blocks } from "../storage/blocks.ts";
import { capabilities } from "./capabilities.ts";
import { Engine } from "./engine.ts";
import { Service, type Watcher } from "./service.ts";

/** Who is told what an engine's connection does, beside what the engine does. */
export interface PeerWatcher extends Watcher {
  connected(): void;
  closed(reason: string): void;
}

/** Starts an engine that serves a host: the backends get ready while the socket is dialled. */
export function serveEngine(
  server: Server,
  backends: readonly Backend[],
  threads: number,
  watcher: PeerWatcher,
): void {
  // A backend that can't start says so again, to the first load that needs it.
  for (const backend of backends) backend.start().catch(() => undefined);
  const engine = new Engine(backends, new Blocks(server.base, server.token));
  const platforms = backends.map(({ platform }) => platform);
  const hello = helloOf("engine", capabilities(platforms, threads));
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
