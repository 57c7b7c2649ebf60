import type { Backend, DeviceTensor, LoadedModel } from "../backends/backend.ts";
import { readbacks } from "../backends/readbacks.ts";
import { AccelerateError } from "../protocol/errors.ts";
import type { KeptValue, Reference, Run, StepValue } from "../protocol/generated/messages.ts";
import type { Tensor, Tensors } from "../protocol/tensor.ts";
import type { Handles } from "./handles.ts";
import { wantedOutputs } from "./plan.ts";
import type { Task } from "./task.ts";

/** A loaded model and the backend that runs it. */
export interface Runnable {
  readonly model: LoadedModel;
  readonly backend: Backend;
  /** Weights that it takes as inputs. */
  readonly lent: ReadonlyMap<string, DeviceTensor>;
}

/** One plan on its way: what its steps have made, until that is fetched, kept or freed. */
export class Execution {
  private readonly plan: Run;
  private readonly frame: Tensors;
  private readonly handles: Handles;
  private readonly models: readonly Runnable[];
  private readonly wanted: readonly string[][];
  private readonly produced: Map<string, DeviceTensor>[] = [];
  private readonly uploads: DeviceTensor[] = [];

  /** `models` has one for each step. A plan that can't be carried out is refused here. */
  constructor(plan: Run, frame: Tensors, handles: Handles, models: readonly Runnable[]) {
    this.plan = plan;
    this.frame = frame;
    this.handles = handles;
    this.models = models;
    this.wanted = wantedOutputs(plan, frame, handles);
    models.forEach(({ model }, i) => {
      requireOutputs(model, this.wanted[i] ?? []);
    });
  }

  /** Runs the steps in order; a cancel is seen between two of them. */
  async run(task: Task): Promise<StepValue[]> {
    const values: StepValue[] = [];
    for (const [i, step] of this.plan.steps.entries()) {
      if (i > 0) await task.checkpoint();
      const { model, backend, lent } = this.models[i] as Runnable;
      const inputs = new Map([...(await this.inputsOf(step.inputs, backend)), ...lent]);
      const before = readbacks.count;
      const began = performance.now();
      this.produced.push(await model.run(inputs, this.wanted[i] ?? []));
      const run_ms = performance.now() - began;
      values.push({
        model: step.model,
        backend: model.backend,
        device: model.device,
        run_ms,
        readbacks: readbacks.count - before,
      });
    }
    return values;
  }

  /** What the plan says to bring back, once the devices have done their work. */
  async fetch(): Promise<Tensors> {
    if (!this.plan.fetch.length) await this.models.at(-1)?.backend.settle();
    const tensors = new Map<string, Tensor>();
    for (const { of, as } of this.plan.fetch) tensors.set(as, await this.fetchOne(of));
    return tensors;
  }

  /** Hands over what the plan says to keep, and says what that is. */
  async keep(): Promise<KeptValue[]> {
    const kept: KeptValue[] = [];
    for (const { step, output, handle } of this.plan.keep) {
      const { backend } = this.models[step] as Runnable;
      const tensor = await backend.own(this.outputOf(step, output));
      this.produced[step]?.delete(output);
      this.handles.set(handle, tensor);
      kept.push({ handle, dtype: tensor.dtype, shape: [...tensor.shape] });
    }
    return kept;
  }

  /** Frees all that was not kept. */
  free(): void {
    for (const tensor of this.uploads) tensor.dispose();
    for (const outputs of this.produced) {
      for (const tensor of outputs.values()) tensor.dispose();
    }
  }

  private async inputsOf(
    references: Readonly<Record<string, Reference>>,
    backend: Backend,
  ): Promise<Map<string, DeviceTensor>> {
    const inputs = new Map<string, DeviceTensor>();
    for (const [name, reference] of Object.entries(references)) {
      inputs.set(name, await this.resolve(reference, backend));
    }
    return inputs;
  }

  private async resolve(reference: Reference, backend: Backend): Promise<DeviceTensor> {
    if ("handle" in reference) return this.handleOn(backend, reference.handle);
    if ("step" in reference) {
      const there = this.outputOf(reference.step, reference.output);
      return this.owned(await backend.adopt(there), there);
    }
    return this.owned(await backend.upload(this.frame.get(reference.tensor) as Tensor));
  }

  /** A live tensor, moved to where this backend finds it; there it stays for the next run. */
  private async handleOn(backend: Backend, handle: number): Promise<DeviceTensor> {
    const there = this.handles.get(handle);
    const adopted = await backend.adopt(there);
    if (adopted !== there) this.handles.replace(handle, adopted);
    return adopted;
  }

  /** Remembers to free a tensor that was made for this plan alone. */
  private owned(tensor: DeviceTensor, original?: DeviceTensor): DeviceTensor {
    if (tensor !== original) this.uploads.push(tensor);
    return tensor;
  }

  private async fetchOne(reference: Reference): Promise<Tensor> {
    if ("tensor" in reference) return this.frame.get(reference.tensor) as Tensor;
    if ("handle" in reference) return readBack(this.handles.get(reference.handle));
    return readBack(this.outputOf(reference.step, reference.output));
  }

  private outputOf(step: number, output: string): DeviceTensor {
    const tensor = this.produced[step]?.get(output);
    if (tensor) return tensor;
    throw new AccelerateError("run_failed", `Step ${step} ran and did not give ${output}.`);
  }
}

/** A tensor as it travels, from where a backend keeps it. */
export async function readBack(tensor: DeviceTensor): Promise<Tensor> {
  return { dtype: tensor.dtype, shape: tensor.shape, data: await tensor.read() };
}

function requireOutputs({ outputs }: LoadedModel, wanted: readonly string[]): void {
  const missing = wanted.find((name) => !outputs.some((port) => port.name === name));
  if (missing === undefined) return;
  const there = outputs.map(({ name }) => name).join(", ");
  throw new AccelerateError(
    "tensor_not_found",
    `The plan refers to the output ${missing}; the model has ${there}.`,
  );
}
