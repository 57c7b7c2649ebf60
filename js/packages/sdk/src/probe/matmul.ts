/** The small matmul that every platform is measured by: [M, K] x [K, N] in f32. */
export const M = 128;
export const K = 384;
export const N = 1536;

const GFLOP = (2 * M * K * N) / 1e9;
const SPOTS = 64;
// What f16 inside an NPU may lose of a sum of 384 products; a wrong kernel loses all of it.
const TOLERANCE = 0.01;

/** Its left side. */
export function left(): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: M * K }, (_, at) => value(at));
}

/** Its right side. */
export function right(): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: K * N }, (_, at) => value(at + M * K));
}

/** How far off the worst of a few elements of a product is, against sums made here. */
export function worstError(product: Float32Array): number {
  if (product.length !== M * N) return Number.POSITIVE_INFINITY;
  const spots = Array.from({ length: SPOTS }, (_, spot) => hash(spot) % (M * N));
  const errors = [0, M * N - 1, ...spots].map((at) => {
    const expected = element(Math.floor(at / N), at % N);
    return Math.abs((product[at] ?? 0) - expected) / (1 + Math.abs(expected));
  });
  // A NaN is the worst of all, and Math.max keeps it.
  return Math.max(...errors);
}

/** Refuses a product that is wrong. */
export function requireRight(error: number): void {
  if (error <= TOLERANCE) return;
  throw new Error(`it computes wrongly: a matmul was off by ${error.toPrecision(2)}`);
}

/** GFLOP/s, from the milliseconds of one matmul. */
export function gflops(ms: number): number {
  return GFLOP / (ms / 1000);
}

// In 128ths, from -1 to 1: a sum of 384 products is a whole number of 16384ths and has no rounding.
function value(at: number): number {
  return ((hash(at) >>> 24) - 128) / 128;
}

function hash(at: number): number {
  const mixed = Math.imul(at ^ (at >>> 15), 0x2c1b3c6d);
  return Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39) >>> 0;
}

function element(row: number, column: number): number {
  let sum = 0;
  for (let k = 0; k < K; k++) sum += value(row * K + k) * value(M * K + k * N + column);
  return sum;
}
