import { expect, it } from "vitest";
import { chosen, whyNone } from "../../src/probe/contexts.ts";

const on = (asked: string, ...devices: string[]) => ({ asked, devices });

it("what a graph ran on counts, not what was asked for", () => {
  const trials = [on("npu", "cpu"), on("gpu", "cpu"), on("cpu", "cpu")];
  expect(chosen(trials)).toEqual({ trial: trials[2], device: "cpu", about: "a graph ran on cpu" });
});

it("the best device is taken, by whatever request it came", () => {
  const trials = [{ asked: "npu", error: "no" }, on("gpu", "gpu"), on("cpu", "cpu")];
  expect(chosen(trials)).toMatchObject({ trial: trials[1], device: "gpu" });
  expect(chosen([on("npu", "gpu", "cpu")])).toMatchObject({
    device: "gpu",
    about: "a graph ran on gpu and cpu",
  });
  expect(chosen([on("npu", "npu"), on("gpu", "gpu")])).toMatchObject({ device: "npu" });
});

it("a device that is not told counts as the CPU, and is said to be unproved", () => {
  const trials = [{ asked: "npu" }, { asked: "gpu" }, { asked: "cpu", error: "no" }];
  expect(chosen(trials)).toMatchObject({
    trial: { asked: "gpu" },
    device: "cpu",
    about: expect.stringContaining("unproved"),
  });
});

it("a word that is no known device proves nothing", () => {
  expect(chosen([on("gpu", "tpu")])).toMatchObject({ device: "cpu" });
});

it("where no context runs a graph, each reason is told once", () => {
  const trials = ["npu", "gpu", "cpu"].map((asked) => ({ asked, error: "not supported" }));
  expect(chosen(trials)).toBeUndefined();
  expect(whyNone(trials)).toBe("no context runs a graph: not supported");
});
