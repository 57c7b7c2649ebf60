/**
 * Counts how often a device's memory is read back to the CPU, whoever asks for it: the browser's own
 * functions are wrapped, so that what onnxruntime does by itself is counted too.
 */
class Readbacks {
  /** How many there were since this realm began. */
  count = 0;
  private readonly watched = new Set<object>();

  /** Counts the calls of a method from here on; once is enough. */
  watch<T extends object>(
    prototype: T,
    method: keyof T & string,
    counts = (_mode: unknown) => true,
  ) {
    if (this.watched.has(prototype)) return;
    this.watched.add(prototype);
    const original = prototype[method] as (...given: unknown[]) => unknown;
    const counted = (...given: unknown[]) => {
      if (counts(given[0])) this.count += 1;
    };
    prototype[method] = function (this: T, ...given: unknown[]) {
      counted(...given);
      return original.apply(this, given);
    } as T[keyof T & string];
  }
}

/** Those of this realm. */
export const readbacks = new Readbacks();
