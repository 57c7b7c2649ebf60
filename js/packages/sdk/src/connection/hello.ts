import type { Capabilities, Hello } from "../protocol/generated/messages.ts";
import { WIRE_VERSION } from "../protocol/session.ts";

const LIMITS = {
  max_frame_bytes: 16 * 1024 * 1024,
  // WASM's memory ends there, so a larger message could not be used.
  max_message_bytes: 2 ** 32 - 1,
} as const;

/** What this side says of itself. */
export function helloOf(role: "page" | "engine", capabilities?: Capabilities): Hello {
  const hello: Hello = {
    type: "hello",
    version: WIRE_VERSION,
    role,
    agent: typeof navigator === "undefined" ? "no browser" : navigator.userAgent,
    limits: { ...LIMITS },
  };
  return capabilities ? { ...hello, capabilities } : hello;
}
