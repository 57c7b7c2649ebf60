import { AccelerateError } from "./errors.ts";

/** A `bad_frame` error: bytes that are not a frame, or a message that does not fit the schema. */
export function badFrame(message: string): AccelerateError {
  return new AccelerateError("bad_frame", message);
}

/** An `out_of_order` error: what the state of the channel does not allow. */
export function outOfOrder(what: string): AccelerateError {
  return new AccelerateError("out_of_order", `The channel does not allow this now: ${what}`);
}
