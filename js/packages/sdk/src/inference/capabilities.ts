import type { Runtime } from "../backends/runtime.ts";
import type { Capabilities } from "../protocol/generated/messages.ts";

/**
 * (module (func (result v128) i32.const 0 i8x16.splat i8x16.popcnt)): valid only where there is SIMD.
 */
const SIMD_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
  253, 98, 11,
]);

/** What this realm can do at a look; a probe says more. */
export function capabilities(
  platforms: readonly string[],
  { kind, threads }: Pick<Runtime, "kind" | "threads">,
): Capabilities {
  return {
    platforms: [...platforms],
    runtime: kind ?? "undecided",
    cores: navigator.hardwareConcurrency,
    threads,
    simd: WebAssembly.validate(SIMD_MODULE),
  };
}
