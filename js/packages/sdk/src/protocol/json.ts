import { badFrame } from "./refusals.ts";

const MAX_DEPTH = 64;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The value of strict JSON, as PROTOCOL.md narrows it; `bad_frame` for anything else. */
export function parseStrict(text: string, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badFrame(`The ${what} is not JSON: ${(cause as Error).message}`);
  }
  // The text itself was UTF-8, so only an escape can make half of a surrogate pair.
  const fault = faultIn(value, 1, /\\u/.test(text));
  if (fault) throw badFrame(`The ${what} is not strict JSON: it has ${fault}.`);
  return value;
}

/** Strict JSON of a value; `bad_frame` where it can't be carried. */
export function writeStrict(value: object, what: string): string {
  const fault = faultIn(value, 1, true);
  if (fault) throw badFrame(`The ${what} can't be strict JSON: it has ${fault}.`);
  return JSON.stringify(value);
}

function faultIn(value: unknown, depth: number, escaped: boolean): string | undefined {
  if (typeof value === "number") {
    return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? undefined : `the number ${value}`;
  }
  if (typeof value === "string") {
    return escaped && LONE_SURROGATE.test(value) ? "a lone surrogate" : undefined;
  }
  if (typeof value === "bigint") return "a bigint";
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > MAX_DEPTH) return `more than ${MAX_DEPTH} levels`;
  for (const key of Object.keys(value)) {
    const fault =
      (escaped && LONE_SURROGATE.test(key) ? "a lone surrogate" : undefined) ??
      faultIn((value as Record<string, unknown>)[key], depth + 1, escaped);
    if (fault) return fault;
  }
  return undefined;
}
