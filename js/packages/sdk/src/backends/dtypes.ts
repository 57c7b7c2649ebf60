import type * as ort from "onnxruntime-web/wasm";
import { AccelerateError } from "../protocol/errors.ts";
import { type Dtype, ITEM_SIZE, type Tensor } from "../protocol/tensor.ts";

type OrtType = Exclude<ort.Tensor.Type, "string" | "int4" | "uint4">;
type View = new (buffer: ArrayBufferLike, offset: number, length: number) => ArrayBufferView;

const F16: View = (globalThis as unknown as { Float16Array?: View }).Float16Array ?? Uint16Array;

const ORT_TYPES: Partial<Record<Dtype, readonly [OrtType, View]>> = {
  F64: ["float64", Float64Array],
  I64: ["int64", BigInt64Array],
  U64: ["uint64", BigUint64Array],
  F32: ["float32", Float32Array],
  I32: ["int32", Int32Array],
  U32: ["uint32", Uint32Array],
  F16: ["float16", F16],
  I16: ["int16", Int16Array],
  U16: ["uint16", Uint16Array],
  I8: ["int8", Int8Array],
  U8: ["uint8", Uint8Array],
  BOOL: ["bool", Uint8Array],
};

const WIRE_TYPES = new Map(
  Object.entries(ORT_TYPES).map(([dtype, [type]]) => [type as string, dtype as Dtype]),
);

/** The wire's name of a type of onnxruntime; one that the wire can't carry is written in capitals. */
export function wireName(type: string): string {
  return WIRE_TYPES.get(type) ?? type.toUpperCase();
}

/** The wire's dtype of a tensor that came out of a run. */
export function wireDtype(type: string): Dtype {
  const dtype = WIRE_TYPES.get(type);
  if (dtype) return dtype;
  throw new AccelerateError(
    "tensor_dtype",
    `An output of type ${type} can't be carried: fetch another, or cast it in the graph.`,
  );
}

/** onnxruntime's type, and its kind of array over the tensor's own memory where that is aligned. */
export function ortView(tensor: Tensor): [OrtType, ArrayBufferView] {
  const entry = ORT_TYPES[tensor.dtype];
  if (!entry) {
    throw new AccelerateError(
      "tensor_dtype",
      `onnxruntime-web takes no ${tensor.dtype} tensors: cast it before it is sent.`,
    );
  }
  const [type, view] = entry;
  const size = ITEM_SIZE[tensor.dtype];
  const data = tensor.data.byteOffset % size === 0 ? tensor.data : tensor.data.slice();
  return [type, new view(data.buffer, data.byteOffset, data.byteLength / size)];
}
