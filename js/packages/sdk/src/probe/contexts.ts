/** What came of one WebNN context: what was asked for, and what a graph in it ran on, or why not. */
export interface Trial {
  readonly asked: string;
  /** Missing where the browser does not tell it. */
  readonly devices?: readonly string[];
  readonly error?: string;
}

/** Asked for in this order; the answer to each is found out, not believed. */
export const ASKED = ["npu", "gpu", "cpu"] as const;
export type MlDevice = (typeof ASKED)[number];

/** The context to use, and what it runs on. */
export interface Choice<T extends Trial> {
  readonly trial: T;
  readonly device: MlDevice;
  readonly about: string;
}

/** The context whose graph ran on the best device; undefined where none ran one. */
export function chosen<T extends Trial>(trials: readonly T[]): Choice<T> | undefined {
  const ran = trials.filter(({ error }) => error === undefined);
  for (const device of ASKED) {
    // One that was asked for this very device, where there are several, is the plainest.
    const on = ran.filter(({ devices }) => devices?.includes(device));
    const trial = on.find(({ asked }) => asked === device) ?? on[0];
    if (trial) return { trial, device, about: `a graph ran on ${trial.devices?.join(" and ")}` };
  }
  const trial = ran.at(-1);
  if (!trial) return undefined;
  const about = "a graph ran, but the browser does not tell on what: taken for the CPU, unproved";
  return { trial, device: "cpu", about };
}

/** Why no context ran a graph, each reason once. */
export function whyNone(trials: readonly Trial[]): string {
  const reasons = [...new Set(trials.map(({ error }) => error ?? "it ran nothing"))];
  return `no context runs a graph: ${reasons.join("; ")}`;
}
