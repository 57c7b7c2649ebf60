import { type RuntimeKind, runtimeKind, type Server } from "ipfs-accelerate-js";

/** What the host wrote into the page's fragment. */
export interface Settings {
  readonly server: Server;
  readonly threads: number;
  readonly kind: RuntimeKind | undefined;
}

/** The settings in the fragment, `undefined` where there are none. */
export function settingsIn({ hash, href }: Pick<Location, "hash" | "href">): Settings | undefined {
  const fields = new URLSearchParams(hash.slice(1));
  const token = fields.get("token");
  if (!token) return undefined;
  const base = new URL("/", href).href;
  const server = { base, token, worker: count(fields.get("worker"), 0) };
  const kind = runtimeKind(fields.get("runtime") ?? "");
  return { server, threads: count(fields.get("threads"), 1), kind };
}

function count(text: string | null, otherwise: number): number {
  const value = Number(text ?? otherwise);
  return Number.isSafeInteger(value) && value >= 0 ? value : otherwise;
}
