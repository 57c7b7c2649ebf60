import { AccelerateError } from "../protocol/errors.ts";

const MEMORY =
  /out of memory|bad_alloc|failed to allocate|allocation failed|OOM|memory access out/i;

/** How the platforms say of a type, in the middle of something else, that they do not have it. */
const LACKING = new RegExp(
  [
    "requires f16 but the device does not",
    "WebNN backend does not support data type",
    "Could not find an implementation for",
    "Provider type for \\w+ node with name '.*' is not set",
  ].join("|"),
);

/** Whether what onnxruntime threw says that its WASM has ended, not only this call. */
export function isFatal(cause: unknown): boolean {
  return cause instanceof WebAssembly.RuntimeError || /Aborted\(/.test(textOf(cause));
}

/** What onnxruntime threw, as an error of ours with its own text. */
export function failure(
  code: "model_invalid" | "run_failed",
  what: string,
  cause: unknown,
): AccelerateError {
  if (cause instanceof AccelerateError) return cause;
  const text = textOf(cause);
  if (cause instanceof RangeError || MEMORY.test(text)) {
    const hint = "unload a model, or use a smaller one";
    return new AccelerateError("out_of_memory", `${what}, for want of memory (${hint}): ${text}`);
  }
  if (LACKING.test(text)) return new AccelerateError("operator_unsupported", `${what}: ${text}`);
  return new AccelerateError(code, `${what}: ${text}`);
}

function textOf(cause: unknown): string {
  // Emscripten throws a bare number where a C++ exception had no text that it could read.
  if (typeof cause === "number") return `std::bad_alloc or another C++ exception at ${cause}`;
  return cause instanceof Error ? cause.message : String(cause);
}
