import { within } from "./within.ts";

const OPTIONS: GPURequestAdapterOptions = { powerPreference: "high-performance" };
const TRIES = 3;
const PAUSE_MS = 150;

/**
 * The adapter that models run on: of two in a laptop, the fast one. It is asked for again where
 * there is none, since a browser that has only just started may have none yet: seen in Chromium,
 * with its files not in memory, once in some six starts, and gone 100 ms later.
 */
export async function requestAdapter(gpu: GPU): Promise<GPUAdapter | null> {
  for (let tried = 1; ; tried++) {
    const adapter = await within("asking for an adapter", gpu.requestAdapter(OPTIONS));
    if (adapter || tried === TRIES) return adapter;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
