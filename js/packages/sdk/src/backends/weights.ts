import type { ExternalWeight } from "./backend.ts";

/** ArrayBuffer of ES2024: `transfer` takes a buffer's memory away from it. */
type Transferable = ArrayBuffer & { transfer?: (length: number) => ArrayBuffer };

/** Gives the weights' memory back at once; the garbage collector would come for it much later. */
export function freeWeights(weights: readonly ExternalWeight[]): void {
  for (const { data } of weights) (data.buffer as Transferable).transfer?.(0);
}
