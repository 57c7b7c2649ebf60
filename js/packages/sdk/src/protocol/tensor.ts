/** The bytes of one item of each dtype, by its name on the wire. */
export const ITEM_SIZE = {
  F64: 8,
  I64: 8,
  U64: 8,
  F32: 4,
  I32: 4,
  U32: 4,
  F16: 2,
  BF16: 2,
  I16: 2,
  U16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
} as const;

/** The name of a dtype on the wire. */
export type Dtype = keyof typeof ITEM_SIZE;

/** A tensor as it travels: little-endian bytes with their dtype and shape. */
export interface Tensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** Named tensors, in the order in which they were given. */
export type Tensors = ReadonlyMap<string, Tensor>;

/** Whether the wire has this dtype. */
export function isDtype(name: unknown): name is Dtype {
  return typeof name === "string" && Object.hasOwn(ITEM_SIZE, name);
}

/** The bytes that a tensor of this dtype and shape takes, `undefined` beyond exact integers. */
export function bytesOf(dtype: Dtype, shape: readonly number[]): number | undefined {
  let bytes: number = ITEM_SIZE[dtype];
  for (const length of shape) bytes *= length;
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
