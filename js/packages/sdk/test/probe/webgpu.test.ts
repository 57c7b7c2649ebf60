import { afterEach, describe, expect, it, vi } from "vitest";
import { probeWebGpu } from "../../src/probe/webgpu.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function withGpu(requestAdapter: () => Promise<unknown>): void {
  vi.stubGlobal("navigator", { gpu: { requestAdapter } });
}

function adapter(info: object, features: string[] = [], more: object = {}) {
  return { info, features: new Set(features), limits: { maxBufferSize: 4 }, ...more };
}

const AMD = { vendor: "amd", architecture: "rdna-3" };

describe("WebGPU", () => {
  it("is none where the browser has none, and where the page is not secure", async () => {
    vi.stubGlobal("navigator", {});
    const ability = await probeWebGpu(true);
    expect(ability).toMatchObject({ platform: "webgpu", device: "none", gflops: 0 });
    expect(ability.about).toContain("navigator.gpu");
    vi.stubGlobal("isSecureContext", false);
    expect((await probeWebGpu(true)).about).toContain("https");
  });

  it("is none without an adapter, which is asked for more than once", async () => {
    const request = vi.fn(async () => null);
    withGpu(request);
    expect(await probeWebGpu(true)).toMatchObject({
      device: "none",
      about: "the browser has WebGPU, but no adapter for it",
    });
    expect(request).toHaveBeenCalledTimes(3);
  });

  it("takes an adapter that is there only at the second request", async () => {
    const request = vi.fn(async () => (request.mock.calls.length > 1 ? adapter(AMD) : null));
    withGpu(request);
    expect(await probeWebGpu(false)).toMatchObject({ device: "gpu", about: "amd rdna-3" });
  });

  it("says what the adapter is, and measures only where it is asked to", async () => {
    withGpu(async () => adapter(AMD, ["shader-f16", "subgroups"]));
    expect(await probeWebGpu(false)).toEqual({
      platform: "webgpu",
      device: "gpu",
      about: "amd rdna-3",
      f16: true,
      gflops: 0,
      copy_mb_s: 0,
      details: {
        adapter: { ...AMD, device: "", description: "", fallback: false },
        features: ["shader-f16", "subgroups"],
        limits: { maxBufferSize: 4 },
      },
    });
  });

  it("is software where the adapter is", async () => {
    withGpu(async () => adapter({ isFallbackAdapter: true }));
    expect(await probeWebGpu(false)).toMatchObject({ device: "software-gpu", f16: false });
  });

  it("is none where an adapter gives no device, with the adapter's words and the reason", async () => {
    const requestDevice = () => Promise.reject(new Error("no more devices"));
    withGpu(async () => adapter(AMD, [], { requestDevice }));
    expect(await probeWebGpu(true)).toMatchObject({
      device: "none",
      about: "amd rdna-3: no more devices",
      details: { features: [] },
    });
  });

  it("does not hang where the adapter does", async () => {
    vi.useFakeTimers();
    withGpu(() => new Promise(() => undefined));
    const probe = probeWebGpu(true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await probe).toMatchObject({
      device: "none",
      about: "asking for an adapter took more than 10 s, and was given up",
    });
  });
});
