/** Runs one model in a loop of its own, as the engine would; what it answers is what a run took. */
import * as ort from "./ort.wasm.min.mjs";

const socket = new WebSocket(`ws://${location.host}/socket`);
socket.binaryType = "arraybuffer";
const say = (value) => socket.send(new TextEncoder().encode(JSON.stringify(value)));
let session;

async function bytes(cid) {
  const response = await fetch(`blocks/${cid}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function load({ threads, graph, weights }) {
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
  return session.outputNames;
}

async function run({ inputs, outputs }) {
  const feeds = {};
  for (const [name, rows] of Object.entries(inputs)) {
    const data = BigInt64Array.from(rows.flat(), BigInt);
    feeds[name] = new ort.Tensor("int64", data, [rows.length, rows[0].length]);
  }
  const began = performance.now();
  const results = await session.run(feeds, outputs);
  const took = performance.now() - began;
  return { took, vector: Array.from(results[outputs[0]].data) };
}

socket.onmessage = async ({ data }) => {
  const asked = JSON.parse(new TextDecoder().decode(data));
  try {
    const answer = await (asked.run ? run(asked.run) : load(asked.load));
    say({ answer });
  } catch (cause) {
    say({ error: String(cause) });
  }
};
