import type { AccelerateError } from "./errors.ts";
import type {
  Beat,
  Drop,
  Get,
  Hello,
  Load,
  Ping,
  Probe,
  Put,
  Restart,
  Run,
  Tally,
  Unload,
} from "./generated/messages.ts";
import type { Tensors } from "./tensor.ts";

/** A message that is answered by exactly one result or error. */
export type Request = Load | Unload | Run | Put | Get | Drop | Ping | Probe | Tally | Restart;
/** A request before its session has given it an id. */
export type Unnumbered = {
  [T in Request["type"]]: Omit<Extract<Request, { type: T }>, "id">;
}[Request["type"]];

/** What a session tells its shell. */
export type Event =
  | { readonly type: "opened"; readonly hello: Hello }
  | {
      readonly type: "asked";
      readonly id: number;
      readonly message: Request;
      readonly tensors: Tensors;
    }
  | { readonly type: "cancelAsked"; readonly id: number }
  | {
      readonly type: "progressed";
      readonly id: number;
      readonly stage: string;
      readonly done: number;
      readonly total: number;
    }
  | {
      readonly type: "answered";
      readonly id: number;
      readonly value: Record<string, unknown>;
      readonly tensors: Tensors;
    }
  | { readonly type: "refused"; readonly id: number; readonly error: AccelerateError }
  | { readonly type: "beaten"; readonly beat: Beat }
  | { readonly type: "ended"; readonly reason: string };
