import type { DeviceTensor } from "../backends/backend.ts";
import { AccelerateError } from "../protocol/errors.ts";
import type { Reference, Run } from "../protocol/generated/messages.ts";
import type { Tensors } from "../protocol/tensor.ts";
import type { Handles } from "./handles.ts";

/** Where a plan's inputs come from: its frame, the live tensors, and its earlier steps. */
export interface Sources {
  readonly frame: Tensors;
  readonly handles: Handles;
  readonly produced: readonly ReadonlyMap<string, DeviceTensor>[];
}

/** The outputs that each step must give, refusing a plan that refers to what can't be there. */
export function wantedOutputs(plan: Run, sources: Omit<Sources, "produced">): string[][] {
  const wanted = plan.steps.map(() => new Set<string>());
  const want = (step: number, output: string, before: number) => {
    const outputs = step < before ? wanted[step] : undefined;
    if (!outputs) throw notFound(`the output ${output} of step ${step}, which is not before it`);
    outputs.add(output);
  };
  plan.steps.forEach((step, index) => {
    for (const reference of Object.values(step.inputs)) {
      if ("step" in reference) want(reference.step, reference.output, index);
      else requireThere(reference, sources);
    }
  });
  for (const { step, output } of [...plan.fetch, ...plan.keep]) want(step, output, wanted.length);
  requireDistinct(plan, sources.handles);
  return wanted.map((outputs) => [...outputs]);
}

/** The output of an earlier step. */
export function outputOf(
  { produced }: Pick<Sources, "produced">,
  step: number,
  output: string,
): DeviceTensor {
  const tensor = produced[step]?.get(output);
  if (!tensor) throw notFound(`the output ${output} of step ${step}, which did not come`);
  return tensor;
}

function requireThere(reference: Reference, { frame, handles }: Omit<Sources, "produced">): void {
  if ("handle" in reference) handles.get(reference.handle);
  if ("tensor" in reference && !frame.has(reference.tensor)) {
    throw notFound(`the tensor ${reference.tensor}, which its frame does not carry`);
  }
}

function requireDistinct({ fetch, keep }: Run, handles: Handles): void {
  const names = new Set<string>();
  for (const { as } of fetch) {
    if (names.has(as)) throw exists(`the name ${as}`);
    names.add(as);
  }
  const kept = new Set<number>();
  for (const { handle } of keep) {
    if (kept.has(handle)) throw exists(`the handle ${handle}`);
    handles.requireFree(handle);
    kept.add(handle);
  }
}

function notFound(what: string): AccelerateError {
  return new AccelerateError("tensor_not_found", `The plan refers to ${what}.`);
}

function exists(what: string): AccelerateError {
  return new AccelerateError("tensor_exists", `The plan uses ${what} twice: choose another.`);
}
