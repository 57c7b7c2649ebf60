/**
 * The smallest models that onnxruntime takes, of one operator each. Protobuf is written by hand
 * here: each field is its number and wire type in one byte, then a length where it holds bytes.
 */

/** One Identity from `x` to `y`. Creating it makes the runtime fetch and compile its WASM. */
export function tinyModel(): Uint8Array {
  return oneNode("Identity", { x: [] }, []);
}

/** One MatMul of `x` [m, k] and `w` [k, n] to `y`. */
export function matmulModel(m: number, k: number, n: number): Uint8Array {
  return oneNode("MatMul", { x: [m, k], w: [k, n] }, [m, n]);
}

type Shape = readonly number[];

function oneNode(operator: string, inputs: Record<string, Shape>, output: Shape): Uint8Array {
  const names = Object.keys(inputs).flatMap((name) => text(1, name));
  const graph = [
    ...bytes(1, [...names, ...text(2, "y"), ...text(4, operator)]),
    ...text(2, "tiny"),
    ...Object.entries(inputs).flatMap(([name, shape]) => bytes(11, value(name, shape))),
    ...bytes(12, value("y", output)),
  ];
  const irVersion = varint(1, 8);
  const opset = bytes(8, varint(2, 13));
  return new Uint8Array([...irVersion, ...bytes(7, graph), ...opset]);
}

function value(name: string, shape: Shape): number[] {
  const float = 1;
  const dimensions = shape.flatMap((length) => bytes(1, varint(1, length)));
  const tensorType = [...varint(1, float), ...bytes(2, dimensions)];
  return [...text(1, name), ...bytes(2, bytes(1, tensorType))];
}

function varint(field: number, number: number): number[] {
  return [field << 3, ...base128(number)];
}

function bytes(field: number, content: number[]): number[] {
  return [(field << 3) | 2, ...base128(content.length), ...content];
}

function text(field: number, content: string): number[] {
  return bytes(
    field,
    [...content].map((character) => character.charCodeAt(0)),
  );
}

function base128(number: number): number[] {
  return number < 128 ? [number] : [(number & 127) | 128, ...base128(number >> 7)];
}
