/**
 * The smallest model that onnxruntime takes: one Identity from `x` to `y`. Creating it makes the
 * runtime fetch and compile its WASM. Protobuf is written by hand here: each field is its number
 * and wire type in one byte, then a length where it holds bytes.
 */
export function tinyModel(): Uint8Array {
  const varint = (field: number, value: number) => [field << 3, value];
  const bytes = (field: number, content: number[]) => [
    (field << 3) | 2,
    content.length,
    ...content,
  ];
  const text = (field: number, content: string) => bytes(field, [...content].map(codeOf));

  const float = 1;
  const scalarShape: number[] = [];
  const tensorType = [...varint(1, float), ...bytes(2, scalarShape)];
  const value = (name: string) => [...text(1, name), ...bytes(2, bytes(1, tensorType))];
  const node = [...text(1, "x"), ...text(2, "y"), ...text(4, "Identity")];
  const graph = [
    ...bytes(1, node),
    ...text(2, "tiny"),
    ...bytes(11, value("x")),
    ...bytes(12, value("y")),
  ];
  const irVersion = varint(1, 8);
  const opset = bytes(8, varint(2, 13));
  return new Uint8Array([...irVersion, ...bytes(7, graph), ...opset]);
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}
