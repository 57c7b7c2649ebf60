import type { Ability } from "../protocol/generated/messages.ts";
import { absent, UNMEASURED, words } from "./ability.ts";
import { adapterLine, adapterWords, isSoftware, limitsOf } from "./adapter.ts";
import { requestAdapter } from "./request-adapter.ts";
import { webGpuSpeed } from "./webgpu-speed.ts";
import { within } from "./within.ts";

const PLATFORM = "webgpu";

/** What WebGPU is in this realm: its adapter, and with `measure` what a device of it did. */
export async function probeWebGpu(measure: boolean): Promise<Ability> {
  const gpu = (navigator as { gpu?: GPU }).gpu;
  if (!gpu) return absent(PLATFORM, whyNoGpu());
  try {
    const adapter = await requestAdapter(gpu);
    if (!adapter) return absent(PLATFORM, "the browser has WebGPU, but no adapter for it");
    return await abilityOf(adapter, measure);
  } catch (cause) {
    return absent(PLATFORM, words(cause));
  }
}

function whyNoGpu(): string {
  if (globalThis.isSecureContext === false) return "WebGPU is there only on https and localhost";
  return "the browser has no navigator.gpu: it lacks WebGPU, or WebGPU is switched off";
}

async function abilityOf(adapter: GPUAdapter, measure: boolean): Promise<Ability> {
  const told = adapterWords(adapter);
  const features = [...adapter.features].sort();
  const details = { adapter: told, features, limits: limitsOf(adapter) };
  try {
    const [speed, seen] = measure ? await measured(adapter) : [UNMEASURED, {}];
    return {
      platform: PLATFORM,
      device: isSoftware(told) ? "software-gpu" : "gpu",
      about: adapterLine(told),
      f16: adapter.features.has("shader-f16"),
      ...speed,
      details: { ...details, ...seen },
    };
  } catch (cause) {
    return absent(PLATFORM, `${adapterLine(told)}: ${words(cause)}`, details);
  }
}

async function measured(adapter: GPUAdapter): ReturnType<typeof webGpuSpeed> {
  const device = await within("asking for a device", adapter.requestDevice());
  try {
    return await webGpuSpeed(device);
  } finally {
    device.destroy();
  }
}
