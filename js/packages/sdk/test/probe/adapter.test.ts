import { describe, expect, it } from "vitest";
import { adapterLine, adapterWords, isSoftware, limitsOf } from "../../src/probe/adapter.ts";

function wordsOf(info: object, more: object = {}) {
  return adapterWords({ info, ...more } as unknown as GPUAdapter);
}

describe("an adapter is software", () => {
  it.each([
    ["by its flag, with no other word (Firefox on lavapipe)", { isFallbackAdapter: true }],
    ["by its type", { vendor: "x", type: "CPU" }],
    ["by the name SwiftShader", { vendor: "google", architecture: "swiftshader" }],
    ["by the name llvmpipe", { description: "llvmpipe (LLVM 15.0.6, 256 bits)" }],
    ["by the name lavapipe", { driver: "Mesa lavapipe" }],
    ["by the name WARP", { vendor: "microsoft", architecture: "warp" }],
    ["by Microsoft's name", { description: "Microsoft Basic Render Driver" }],
  ])("%s", (_, info) => {
    expect(isSoftware(wordsOf(info))).toBe(true);
  });

  it("by the flag where older browsers have it", () => {
    expect(isSoftware(wordsOf({}, { isFallbackAdapter: true }))).toBe(true);
  });

  it.each([
    [{ vendor: "nvidia", architecture: "ampere", type: "discrete GPU" }],
    [{ vendor: "intel", architecture: "gen-12lp", isFallbackAdapter: false }],
    [{ vendor: "apple", description: "Apple M3, warped" }],
    [{}],
  ])("and is not with %j", (info) => {
    expect(isSoftware(wordsOf(info))).toBe(false);
  });
});

it("an adapter's words are told once each, or that there are none", () => {
  const told = { vendor: "amd", architecture: "rdna-3", device: "amd", description: "" };
  expect(adapterLine(wordsOf(told))).toBe("amd rdna-3");
  expect(adapterLine(wordsOf({}))).toBe("an adapter that tells nothing of itself");
});

it("only what is told is there", () => {
  expect(wordsOf({ vendor: "v", backend: "vulkan" })).toEqual({
    vendor: "v",
    architecture: "",
    device: "",
    description: "",
    fallback: false,
    backend: "vulkan",
  });
});

it("limits stay within the wire's integers", () => {
  const limits = {
    maxBufferSize: 2 ** 64,
    maxComputeWorkgroupSizeX: 256,
    maxTextureArrayLayers: 1,
  };
  expect(limitsOf({ limits } as unknown as GPUAdapter)).toEqual({
    maxBufferSize: Number.MAX_SAFE_INTEGER,
    maxComputeWorkgroupSizeX: 256,
  });
});
