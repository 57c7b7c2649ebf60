import type { RuntimeKind, Server } from "ipfs-accelerate-js";

/** What the supervisor tells a fresh engine Worker. */
export interface Start {
  readonly server: Server;
  readonly threads: number;
  /** The build of onnxruntime-web; left out, the first model's platform decides. */
  readonly kind: RuntimeKind | undefined;
  /** The lock that the Worker holds for as long as it lives. */
  readonly lock: string;
}

/** What the engine Worker tells its supervisor, since during a run it can't be asked. */
export type Note =
  | { readonly type: "connected" }
  | { readonly type: "began"; readonly id: number }
  | { readonly type: "ended"; readonly models: readonly string[] }
  | { readonly type: "broken" }
  | { readonly type: "closed"; readonly reason: string };
