import { CODES } from "./generated/codes.ts";

/** A key of spec/errors.json. */
export type Code = keyof typeof CODES;
/** The kind of an error: the name of its class in the Python package. */
export type Kind = (typeof CODES)[Code]["kind"];

/** The one error of the SDK: `code` says which of spec/errors.json, `message` what to do about it. */
export class AccelerateError extends Error {
  override readonly name = "AccelerateError";
  readonly code: string;
  readonly details: Record<string, unknown>;

  constructor(code: Code, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** What kind of error this is, `undefined` for a code that this version does not know. */
  get kind(): Kind | undefined {
    return this.isKnown(this.code) ? CODES[this.code].kind : undefined;
  }

  /** Whether the same request may succeed unchanged. */
  get retryable(): boolean {
    return this.isKnown(this.code) && CODES[this.code].retryable;
  }

  private isKnown(code: string): code is Code {
    return Object.hasOwn(CODES, code);
  }
}

/** The error that the far side described; a code that is unknown here is kept. */
export function fromCode(
  code: string,
  message: string,
  details: Record<string, unknown>,
): AccelerateError {
  return new AccelerateError(code as Code, message, details);
}

/** Whether bytes or messages, rather than work, were at fault. */
export function isProtocolError(error: unknown): error is AccelerateError {
  return error instanceof AccelerateError && error.kind === "ProtocolError";
}
