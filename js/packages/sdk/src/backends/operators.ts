/** Reads as much of an ONNX file's protobuf as tells which operators its main graph has. */

const MODEL_GRAPH = 7;
const GRAPH_NODE = 1;
const NODE_OPERATOR = 4;
const BYTES = 2;

/** The operators of a graph, each once, in order. */
export function operatorsOf(model: Uint8Array): string[] {
  const found = new Set<string>();
  for (const graph of fields(model, MODEL_GRAPH)) {
    for (const node of fields(graph, GRAPH_NODE)) {
      for (const name of fields(node, NODE_OPERATOR)) found.add(new TextDecoder().decode(name));
    }
  }
  return [...found].sort();
}

/** The contents of each field of this number that holds bytes. */
function* fields(message: Uint8Array, wanted: number): Generator<Uint8Array> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; at < message.length; shift *= 128) {
      const byte = message[at++] as number;
      value += (byte & 127) * shift;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < message.length) {
    const tag = varint();
    const [field, type] = [Math.floor(tag / 8), tag % 8];
    if (type === 0) varint();
    else if (type === BYTES) {
      const length = varint();
      if (field === wanted) yield message.subarray(at, at + length);
      at += length;
    } else at += type === 1 ? 8 : 4;
  }
}
