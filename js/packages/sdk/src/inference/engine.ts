import type { Backend, DeviceTensor, ExternalWeight, LoadedModel } from "../backends/backend.ts";
import { living } from "../backends/living.ts";
import { readbacks } from "../backends/readbacks.ts";
import type { Runtime } from "../backends/runtime.ts";
import { probe } from "../probe/probe.ts";
import { AccelerateError } from "../protocol/errors.ts";
import type {
  Lent,
  Load,
  LoadValue,
  Probe,
  ProbeValue,
  Run,
  RunValue,
  TallyValue,
  Weight,
} from "../protocol/generated/messages.ts";
import type { Tensor, Tensors } from "../protocol/tensor.ts";
import type { BlockRef, Blocks } from "../storage/blocks.ts";
import { Execution, type Runnable, readBack } from "./execution.ts";
import { Handles } from "./handles.ts";
import { HeldTensor } from "./held-tensor.ts";
import { LentWeights } from "./lent.ts";
import type { Task } from "./task.ts";

interface Held extends Runnable {
  readonly value: LoadValue;
  readonly message: Load;
}

/** Holds models and tensors, and carries out plans over them, one request at a time. */
export class Engine {
  private readonly backends: ReadonlyMap<string, Backend>;
  private readonly blocks: Pick<Blocks, "fetchAll" | "fetchNow">;
  private readonly runtime: Runtime;
  private readonly models = new Map<string, Held>();
  private readonly handles = new Handles();
  private readonly lent = new LentWeights();

  constructor(
    backends: readonly Backend[],
    blocks: Pick<Blocks, "fetchAll" | "fetchNow">,
    runtime: Runtime,
  ) {
    this.backends = new Map(backends.map((backend) => [backend.platform, backend]));
    this.blocks = blocks;
    this.runtime = runtime;
  }

  /** The keys of the models that are ready. */
  get modelKeys(): string[] {
    return [...this.models.keys()];
  }

  /** Whether only a fresh Worker helps. */
  get broken(): boolean {
    return [...this.backends.values()].some((backend) => backend.broken);
  }

  /** Fetches a model's blocks and makes it ready; at once where it is ready already. */
  async load(message: Load, task: Task): Promise<LoadValue> {
    const held = this.models.get(message.model);
    if (held) return { ...held.value, fetch_ms: 0, create_ms: 0 };
    const { platform } = message;
    const backend = this.backendOf(platform);
    const began = performance.now();
    const missing = this.lent.missing(platform, message.lent);
    const own = [message.graph, ...message.weights];
    const [graph, ...blocks] = await this.fetchBlocks([...own, ...missing], task);
    const weights = message.weights.map((ref, i) =>
      this.externalWeight(ref, blocks[i] as Uint8Array),
    );
    const fetched = performance.now();
    const model = await backend.create(graph as Uint8Array, weights, message);
    const lent = await this.lend(backend, message, missing, blocks.slice(weights.length), model);
    const value: LoadValue = {
      inputs: model.inputs.filter(({ name }) => !lent.has(name)),
      outputs: [...model.outputs],
      platform: message.platform,
      backend: model.backend,
      device: model.device,
      fell_back: [...model.fellBack],
      weight_bytes: message.weights.reduce((sum, { size }) => sum + size, 0),
      fetch_ms: fetched - began,
      create_ms: performance.now() - fetched,
    };
    this.models.set(message.model, { model, backend, lent, value, message });
    return value;
  }

  /** Forgets a model and gives its memory back; nothing happens where it isn't there. */
  async unload(key: string): Promise<void> {
    const held = this.models.get(key);
    this.models.delete(key);
    if (!held) return;
    await held.model.release();
    this.lent.giveBack(held.message.platform, held.message.lent);
  }

  /** Carries out a plan: what it says to fetch comes back, what it says to keep stays live. */
  async run(plan: Run, frame: Tensors, task: Task): Promise<[RunValue, Tensors]> {
    const began = performance.now();
    const before = readbacks.count;
    const models = plan.steps.map(({ model }) => this.held(model));
    const execution = new Execution(plan, frame, this.handles, models);
    try {
      const steps = await execution.run(task);
      const ran = performance.now();
      const tensors = await execution.fetch();
      const kept = await execution.keep();
      const done = performance.now();
      const times = {
        queued_ms: began - task.arrived,
        fetch_ms: done - ran,
        total_ms: done - began,
      };
      return [{ steps, kept, ...times, readbacks: readbacks.count - before }, tensors];
    } finally {
      execution.free();
    }
  }

  /** Keeps a tensor under a handle; the first run that takes it moves it to its own device. */
  put(handle: number, tensor: Tensor): void {
    this.handles.requireFree(handle);
    this.handles.set(handle, new HeldTensor(unpinned(tensor)));
  }

  /** What is held: it goes back to zero when the last model and the last handle go. */
  tally(): TallyValue {
    const values = [...this.models.values()].map(({ value }) => value);
    return {
      models: values.length,
      weight_bytes: values.reduce((sum, own) => sum + own.weight_bytes, this.lent.bytes),
      handles: this.handles.size,
      handle_bytes: this.handles.bytes,
      tensors: living.count,
    };
  }

  /** What platforms can do in this realm. */
  async probe(message: Probe): Promise<ProbeValue> {
    return { abilities: await probe(message, this.runtime) };
  }

  /** A live tensor's bytes. */
  get(handle: number): Promise<Tensor> {
    return readBack(this.handles.get(handle));
  }

  /** Frees live tensors; says how many of them were there. */
  drop(handles: readonly number[]): number {
    return this.handles.drop(handles);
  }

  /** Has the weights that it takes as inputs on the device; a model that can't have them goes. */
  private async lend(
    backend: Backend,
    { platform, lent }: Load,
    missing: readonly Lent[],
    data: readonly Uint8Array[],
    model: LoadedModel,
  ): Promise<Map<string, DeviceTensor>> {
    try {
      await this.lent.place(backend, missing, data);
      return this.lent.take(platform, lent);
    } catch (cause) {
      this.lent.sweep();
      await model.release();
      throw cause;
    }
  }

  private fetchBlocks(refs: readonly BlockRef[], task: Task): Promise<Uint8Array[]> {
    const total = refs.reduce((sum, { size }) => sum + size, 0);
    let done = 0;
    const onBytes = (bytes: number) => {
      done += bytes;
      task.progress("fetch", done, total);
    };
    return this.blocks.fetchAll(refs, onBytes, task.signal);
  }

  private externalWeight(ref: Weight, data: Uint8Array): ExternalWeight {
    const { path, size } = ref;
    return { path, size, data, fetchAgain: () => this.blocks.fetchNow(ref) };
  }

  private backendOf(platform: string): Backend {
    const backend = this.backends.get(platform);
    if (backend) return backend;
    const there = [...this.backends.keys()].join(", ");
    throw new AccelerateError(
      "bad_option",
      `This engine has no platform ${platform}; it has ${there}.`,
      { platform },
    );
  }

  private held(key: string): Held {
    const held = this.models.get(key);
    if (held) return held;
    throw new AccelerateError(
      "model_not_loaded",
      `The model ${key} is not loaded here: load it first.`,
      {
        model: key,
      },
    );
  }
}

/** The tensor with memory of its own, where it would hold on to a frame much larger than itself. */
function unpinned(tensor: Tensor): Tensor {
  const { data } = tensor;
  return data.byteLength * 2 < data.buffer.byteLength ? { ...tensor, data: data.slice() } : tensor;
}
