import type { Ability } from "../protocol/generated/messages.ts";

/** What was measured of a platform's speed. */
export type Speed = Pick<Ability, "gflops" | "copy_mb_s">;

/** Where nothing was measured. */
export const UNMEASURED: Speed = { gflops: 0, copy_mb_s: 0 };

/** A platform that is not there, or can't be relied on, and why. */
export function absent(platform: string, about: string, details: object = {}): Ability {
  return { platform, device: "none", about, f16: false, ...UNMEASURED, details: { ...details } };
}

/** What something threw, in its own words. */
export function words(cause: unknown): string {
  return cause instanceof Error && cause.message ? cause.message : String(cause);
}
