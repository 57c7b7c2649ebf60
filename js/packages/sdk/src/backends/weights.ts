import type { ExternalWeight } from "./backend.ts";

/** ArrayBuffer of ES2024: `transfer` takes a buffer's memory away from it. */
type Transferable = ArrayBuffer & { transfer?: (length: number) => ArrayBuffer };

/**
 * Hands weights to onnxruntime one at a time. It copies each into WASM's memory when it reads it,
 * so the one before is freed then: all of them twice would be the peak of a load. One that is read
 * again (a graph that is folded may ask for a tied weight twice) is fetched again.
 */
export class WeightReader {
  /** What went wrong in a second fetch; onnxruntime says only that a read failed. */
  failure: unknown;
  private readonly weights: readonly ExternalWeight[];
  private last: Uint8Array | undefined;
  private lastPath: string | undefined;

  constructor(weights: readonly ExternalWeight[]) {
    this.weights = weights;
  }

  /** The weights as onnxruntime takes them: it looks at `byteLength`, then copies a `subarray`. */
  get files(): { path: string; data: Uint8Array }[] {
    return this.weights.map((weight) => {
      const { path, size } = weight;
      const subarray = (begin: number, end: number) => this.read(weight).subarray(begin, end);
      const properties = { byteLength: { value: size }, subarray: { value: subarray } };
      return { path, data: Object.defineProperties(new Uint8Array(0), properties) };
    });
  }

  /** Frees what is left at once; the garbage collector would come for it seconds later. */
  free(): void {
    for (const { data } of this.weights) free(data);
    if (this.last) free(this.last);
  }

  private read(weight: ExternalWeight): Uint8Array {
    if (this.last && this.lastPath === weight.path) return this.last;
    if (this.last) free(this.last);
    this.lastPath = weight.path;
    this.last = weight.data.byteLength === weight.size ? weight.data : this.readAgain(weight);
    return this.last;
  }

  private readAgain(weight: ExternalWeight): Uint8Array {
    try {
      return weight.fetchAgain();
    } catch (cause) {
      this.failure = cause;
      throw cause;
    }
  }
}

function free(data: Uint8Array): void {
  if (data.byteLength) (data.buffer as Transferable).transfer?.(0);
}
