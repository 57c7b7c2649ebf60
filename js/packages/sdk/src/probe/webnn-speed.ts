import type { Speed } from "./ability.ts";
import { gflops, K, left, M, N, requireRight, right, worstError } from "./matmul.ts";
import { medianMs, megabytesPerSecond, repeatedMs } from "./timing.ts";
import { graphBuilder, type MlContext, type MlDescriptor, type MlGraph } from "./webnn-api.ts";
import { within } from "./within.ts";

const COPIED = [1024, 1024] as const;
const F32 = 4;

/** A context's speed, what the matmul ran on (where that is told), and what else was seen. */
export interface MlSpeed {
  readonly speed: Speed;
  readonly devices?: readonly string[];
  readonly seen: object;
}

/** Measures a context. Throws where it computes wrongly. */
export async function webNnSpeed(context: MlContext): Promise<MlSpeed> {
  const graph = await within("building a matmul", buildMatmul(context));
  const { run, read } = await within("making tensors", bound(context, graph));
  run(1);
  const error = worstError(new Float32Array(await within("a matmul", read())));
  requireRight(error);
  // Reading the product is how its end is known. That is one copy to all the matmuls of a sample.
  const again = (times: number) => {
    run(times);
    return read();
  };
  const matmulMs = await within("timing matmuls", repeatedMs(again));
  const copyMs = await within("timing copies", copyTime(context));
  const copied = COPIED[0] * COPIED[1] * F32;
  const speed = { gflops: gflops(matmulMs), copy_mb_s: megabytesPerSecond(copied, copyMs) };
  const seen = { matmul_ms: matmulMs, copy_ms: copyMs, worst_error: error };
  return graph.devices ? { speed, seen, devices: [...graph.devices] } : { speed, seen };
}

function buildMatmul(context: MlContext): Promise<MlGraph> {
  const builder = graphBuilder(context);
  const a = builder.input("a", f32(M, K));
  const b = builder.constant(f32(K, N), right());
  return builder.build({ c: builder.matmul(a, b) });
}

async function bound(context: MlContext, graph: MlGraph) {
  const a = await context.createTensor({ ...f32(M, K), writable: true });
  const c = await context.createTensor({ ...f32(M, N), readable: true });
  context.writeTensor(a, left());
  const run = (times: number) => {
    for (let time = 0; time < times; time++) context.dispatch(graph, { a }, { c });
  };
  return { run, read: () => context.readTensor(c) };
}

async function copyTime(context: MlContext): Promise<number> {
  const tensor = await context.createTensor({ ...f32(...COPIED), writable: true, readable: true });
  context.writeTensor(tensor, new Float32Array(COPIED[0] * COPIED[1]));
  await context.readTensor(tensor); // to warm up
  return medianMs(() => context.readTensor(tensor));
}

function f32(...shape: number[]): MlDescriptor {
  return { dataType: "float32", shape };
}
