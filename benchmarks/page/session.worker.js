/** Runs one model in a loop of its own, as the engine would; what it answers is what a run took. */
import * as ort from "./ort.wasm.min.mjs";

const socket = new WebSocket(`ws://${location.host}/socket`);
socket.binaryType = "arraybuffer";
const say = (value) => socket.send(new TextEncoder().encode(JSON.stringify(value)));
let session;
let inputs;
let outputs;

async function bytes(cid) {
  const response = await fetch(`blocks/${cid}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function load({ threads, graph, weights, names }) {
  inputs = names;
  const base = new URL("./", location.href).href;
  ort.env.logLevel = "error";
  ort.env.wasm.numThreads = threads;
  ort.env.wasm.wasmPaths = {
    mjs: `${base}ort-wasm-simd-threaded.mjs`,
    wasm: `${base}ort-wasm-simd-threaded.wasm`,
  };
  session = await ort.InferenceSession.create(await bytes(graph), {
    executionProviders: ["wasm"],
    graphOptimizationLevel: "all",
    logSeverityLevel: 3,
    externalData: await Promise.all(
      weights.map(async ({ path, cid }) => ({ path, data: await bytes(cid) })),
    ),
  });
  outputs = session.outputNames;
  return outputs;
}

/** Rows and columns, then one after another the inputs of that shape; back come took and vector. */
async function run(data) {
  const numbers = new Int32Array(data);
  const shape = [numbers[0], numbers[1]];
  const size = shape[0] * shape[1];
  const feeds = {};
  for (const [i, name] of inputs.entries()) {
    const begin = 2 + i * size;
    feeds[name] = new ort.Tensor("int32", numbers.subarray(begin, begin + size), shape);
  }
  const began = performance.now();
  const results = await session.run(feeds, outputs);
  const took = performance.now() - began;
  const answer = Float64Array.of(took, ...results[outputs[0]].data);
  socket.send(answer);
}

socket.onmessage = async ({ data }) => {
  try {
    if (session) await run(data);
    else say({ answer: await load(JSON.parse(new TextDecoder().decode(data))) });
  } catch (cause) {
    say({ error: String(cause) });
  }
};
