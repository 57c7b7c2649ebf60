import type { Runtime } from "../backends/runtime.ts";
import { matmulModel } from "../backends/tiny-model.ts";
import { capabilities } from "../inference/capabilities.ts";
import type { Ability } from "../protocol/generated/messages.ts";
import { gflops, K, left, M, N, requireRight, right, worstError } from "./matmul.ts";
import { repeatedMs } from "./timing.ts";

/** What WASM can do in this realm; with `measure`, how fast it multiplies. */
export async function probeWasm(runtime: Runtime, measure: boolean): Promise<Ability> {
  const { simd, threads } = capabilities([], runtime);
  const measured = measure ? await speed(runtime) : 0;
  return {
    platform: "wasm",
    device: "cpu",
    about: `${threads} thread${threads === 1 ? "" : "s"}, ${simd ? "SIMD" : "no SIMD"}`,
    f16: false,
    gflops: measured,
    copy_mb_s: 0, // its tensors lie where they are used
    details: { threads, simd, runtime: runtime.kind ?? "undecided" },
  };
}

async function speed(runtime: Runtime): Promise<number> {
  const ort = await runtime.start("wasm");
  const session = await ort.InferenceSession.create(matmulModel(M, K, N));
  try {
    const x = new ort.Tensor("float32", left(), [M, K]);
    const w = new ort.Tensor("float32", right(), [K, N]);
    const { y } = await session.run({ x, w });
    requireRight(worstError(y?.data as Float32Array));
    const repeat = async (times: number) => {
      for (let time = 0; time < times; time++) await session.run({ x, w });
    };
    return gflops(await repeatedMs(repeat));
  } finally {
    await session.release();
  }
}
