import type { Runtime } from "../backends/runtime.ts";
import type { Ability, Probe } from "../protocol/generated/messages.ts";
import { absent, words } from "./ability.ts";
import { probeWasm } from "./wasm.ts";
import { probeWebGpu } from "./webgpu.ts";
import { probeWebNn } from "./webnn.ts";

/** What the platforms that are asked about can do in this realm, one after the other. */
export async function probe(
  { platforms, measure }: Pick<Probe, "platforms" | "measure">,
  runtime: Runtime,
): Promise<Ability[]> {
  const abilities: Ability[] = [];
  for (const platform of platforms) {
    abilities.push(await probeOne(platform, measure, runtime));
  }
  return abilities;
}

async function probeOne(platform: string, measure: boolean, runtime: Runtime): Promise<Ability> {
  try {
    if (platform === "wasm") return await probeWasm(runtime, measure);
    if (platform === "webgpu") return await probeWebGpu(measure);
    if (platform === "webnn") return await probeWebNn(measure);
    return absent(platform, "nobody here knows this platform");
  } catch (cause) {
    return absent(platform, words(cause));
  }
}
