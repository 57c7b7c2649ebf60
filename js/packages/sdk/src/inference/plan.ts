import { AccelerateError } from "../protocol/errors.ts";
import type { Reference, Run } from "../protocol/generated/messages.ts";
import type { Tensors } from "../protocol/tensor.ts";
import type { Handles } from "./handles.ts";

/** The outputs that each step must give, refusing a plan that refers to what can't be there. */
export function wantedOutputs(plan: Run, frame: Tensors, handles: Handles): string[][] {
  const wanted = plan.steps.map(() => new Set<string>());
  const want = (step: number, output: string, before: number) => {
    const outputs = step < before ? wanted[step] : undefined;
    if (!outputs) throw notFound(`the output ${output} of step ${step}, which is not before it`);
    outputs.add(output);
  };
  const take = (reference: Reference, before: number) => {
    if ("step" in reference) want(reference.step, reference.output, before);
    else requireThere(reference, frame, handles);
  };
  plan.steps.forEach(({ inputs }, index) => {
    for (const reference of Object.values(inputs)) take(reference, index);
  });
  for (const { of } of plan.fetch) take(of, wanted.length);
  for (const { step, output } of plan.keep) want(step, output, wanted.length);
  requireDistinct(plan, handles);
  return wanted.map((outputs) => [...outputs]);
}

function requireThere(reference: Reference, frame: Tensors, handles: Handles): void {
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
  const kept = new Set<number | string>();
  for (const { handle, step, output } of keep) {
    const place = `the output ${output} of step ${step}`;
    if (kept.has(handle)) throw exists(`the handle ${handle}`);
    if (kept.has(place)) throw exists(place);
    handles.requireFree(handle);
    kept.add(handle).add(place);
  }
}

function notFound(what: string): AccelerateError {
  return new AccelerateError("tensor_not_found", `The plan refers to ${what}.`);
}

function exists(what: string): AccelerateError {
  return new AccelerateError("tensor_exists", `The plan uses ${what} twice: choose another.`);
}
