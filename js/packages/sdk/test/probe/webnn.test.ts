import { afterEach, describe, expect, it, vi } from "vitest";
import { probeWebNn } from "../../src/probe/webnn.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

interface FakeTensor {
  data: Float32Array;
  destroy(): void;
}
interface FakeGraph {
  b: Float32Array;
  width: number;
  product?: Float32Array;
}
type Feeds = Record<"a" | "c", FakeTensor>;

/** Where a fake WebNN runs a graph when it is asked for a device, and whether it does so well. */
interface Fake {
  devices(asked: string, width: number): string[] | undefined;
  right?: boolean;
  types?: string[];
}

function withMl({ devices, right = true, types }: Fake): { destroyed: number } {
  const seen = { destroyed: 0 };
  class Context {
    readonly asked: string;
    constructor(asked: string) {
      this.asked = asked;
    }
    opSupportLimits() {
      return types ? { matmul: { a: { dataTypes: types } } } : {};
    }
    async createTensor({ shape }: { shape: number[] }): Promise<FakeTensor> {
      return { data: new Float32Array(shape.reduce((all, one) => all * one)), destroy() {} };
    }
    writeTensor(tensor: FakeTensor, data: Float32Array) {
      tensor.data.set(data);
    }
    dispatch(graph: FakeGraph, { a }: Feeds, { c }: Feeds) {
      if (!right) return;
      // Its inputs stay the same, and the probe repeats it many times.
      graph.product ??= multiplied(a.data, graph.b, graph.width);
      c.data.set(graph.product);
    }
    async readTensor({ data }: FakeTensor) {
      return data.slice().buffer;
    }
    destroy() {
      seen.destroyed++;
    }
  }
  class Builder {
    private readonly context: Context;
    private graph: FakeGraph = { b: new Float32Array(), width: 0 };
    constructor(context: Context) {
      this.context = context;
    }
    input() {
      return {};
    }
    constant({ shape }: { shape: number[] }, b: Float32Array) {
      this.graph = { b, width: shape[1] ?? 0 };
      return {};
    }
    matmul() {
      return {};
    }
    async build() {
      const on = devices(this.context.asked, this.graph.width);
      return { ...this.graph, ...(on ? { devices: on } : {}) };
    }
  }
  const createContext = async ({ deviceType = "" }) => new Context(deviceType);
  vi.stubGlobal("navigator", { ml: { createContext } });
  vi.stubGlobal("MLGraphBuilder", Builder);
  return seen;
}

function multiplied(a: Float32Array, b: Float32Array, width: number): Float32Array {
  const inner = b.length / width;
  const c = new Float32Array((a.length / inner) * width);
  for (let at = 0; at < a.length; at++) {
    const [row, k] = [Math.floor(at / inner), at % inner];
    for (let n = 0; n < width; n++) {
      const to = row * width + n;
      c[to] = (c[to] as number) + (a[at] as number) * (b[k * width + n] as number);
    }
  }
  return c;
}

describe("WebNN", () => {
  it("is none where the browser has none", async () => {
    vi.stubGlobal("navigator", {});
    expect(await probeWebNn(true)).toMatchObject({ platform: "webnn", device: "none" });
  });

  it("is none where it makes no context, and says why once", async () => {
    const createContext = () => Promise.reject(new Error("WebNN is not supported"));
    vi.stubGlobal("navigator", { ml: { createContext } });
    const { device, about, details } = await probeWebNn(true);
    expect([device, about]).toEqual(["none", "no context runs a graph: WebNN is not supported"]);
    expect(details.contexts).toHaveLength(3);
  });

  it("is the CPU where every request for another ends there", async () => {
    const seen = withMl({ devices: () => ["cpu"], types: ["float32", "float16"] });
    expect(await probeWebNn(false)).toMatchObject({
      device: "cpu",
      about: "a graph ran on cpu",
      f16: true,
      gflops: 0,
    });
    expect(seen.destroyed).toBe(3);
  });

  it("is what the graph ran on, and not what was asked for", async () => {
    withMl({ devices: (asked) => (asked === "npu" ? ["gpu"] : ["cpu"]) });
    expect(await probeWebNn(false)).toMatchObject({ device: "gpu", f16: false });
  });

  it("is measured by a product that is checked", async () => {
    withMl({ devices: () => ["gpu"] });
    const { gflops, copy_mb_s, details } = await probeWebNn(true);
    expect(gflops).toBeGreaterThan(0);
    expect(copy_mb_s).toBeGreaterThan(0);
    expect(details).toMatchObject({ worst_error: 0 });
  });

  it("is what a larger graph ran on, where a tiny one ran elsewhere", async () => {
    withMl({ devices: (_, width) => (width > 2 ? ["cpu"] : ["npu"]) });
    expect(await probeWebNn(false)).toMatchObject({ device: "npu" });
    expect(await probeWebNn(true)).toMatchObject({ device: "cpu", about: "a graph ran on cpu" });
  });

  it("is none where it computes wrongly", async () => {
    const seen = withMl({ devices: () => ["npu"], right: false });
    const { device, about } = await probeWebNn(false);
    expect(device).toBe("none");
    expect(about).toContain("it computes wrongly");
    expect(seen.destroyed).toBe(3);
  });

  it("is the CPU, unproved, where it does not tell what it runs on", async () => {
    withMl({ devices: () => undefined });
    const { device, about } = await probeWebNn(false);
    expect(device).toBe("cpu");
    expect(about).toContain("unproved");
  });
});
