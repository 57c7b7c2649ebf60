import type {
  Backend,
  DeviceTensor,
  ExternalWeight,
  LoadedModel,
} from "../../src/backends/backend.ts";
import type { Replies, Watcher } from "../../src/inference/service.ts";
import { AccelerateError } from "../../src/protocol/errors.ts";
import type { Load } from "../../src/protocol/generated/messages.ts";
import type { Tensor, Tensors } from "../../src/protocol/tensor.ts";
import type { BlockRef, OnBytes } from "../../src/storage/blocks.ts";

const GIVEN_UP = new AccelerateError("cancelled", "The load was cancelled.");

/** A float32 tensor of one dimension. */
export function floats(...values: number[]): Tensor {
  return {
    dtype: "F32",
    shape: [values.length],
    data: new Uint8Array(Float32Array.from(values).buffer),
  };
}

/** The numbers of a float32 tensor. */
export function numbers({ data }: Tensor): number[] {
  return [...new Float32Array(data.slice().buffer)];
}

/** Adds one to `x`, giving `y`; counts the tensors that are alive, and can be held up. */
export class PlusOne implements Backend {
  readonly platform = "fake";
  broken = false;
  alive = 0;
  runs = 0;
  models = 0;
  refusal: Error | undefined;
  hold: Promise<void> = Promise.resolve();

  async create(graph: Uint8Array, weights: readonly ExternalWeight[]): Promise<LoadedModel> {
    if (this.refusal) throw this.refusal;
    this.models += 1;
    const port = { dtype: "F32", shape: ["n"] };
    return {
      inputs: [{ name: "x", ...port }],
      outputs: [
        { name: "y", ...port },
        { name: "unused", ...port },
      ],
      backend: `fake of ${graph.byteLength}+${weights.length}`,
      device: "cpu",
      fellBack: [],
      run: (inputs, outputs) => this.run(inputs, outputs),
      release: async () => {
        this.models -= 1;
      },
    };
  }

  async adopt(tensor: DeviceTensor): Promise<DeviceTensor> {
    return tensor;
  }

  async own(tensor: DeviceTensor): Promise<DeviceTensor> {
    return tensor;
  }

  async settle(): Promise<void> {}

  async upload(tensor: Tensor): Promise<DeviceTensor> {
    this.alive += 1;
    return {
      dtype: tensor.dtype,
      shape: tensor.shape,
      read: async () => tensor.data,
      dispose: () => {
        this.alive -= 1;
      },
    };
  }

  private async run(
    inputs: ReadonlyMap<string, DeviceTensor>,
    outputs: readonly string[],
  ): Promise<Map<string, DeviceTensor>> {
    this.runs += 1;
    await this.hold;
    if (this.refusal) throw this.refusal;
    const x = inputs.get("x");
    if (!x) throw new Error("x is missing");
    const values = numbers({ dtype: x.dtype, shape: x.shape, data: await x.read() });
    const result = () => this.upload(floats(...values.map((value) => value + 1)));
    const made = outputs.map(async (name) => [name, await result()] as const);
    return new Map(await Promise.all(made));
  }
}

/** Blocks of zeros, of the size asked for; can be held up, and ends when it is given up. */
export class ZeroBlocks {
  fetched: BlockRef[] = [];
  hold = false;

  fetchNow({ size }: BlockRef): Uint8Array {
    return new Uint8Array(size);
  }

  async fetchAll(
    refs: readonly BlockRef[],
    onBytes: OnBytes,
    signal: AbortSignal,
  ): Promise<Uint8Array[]> {
    this.fetched.push(...refs);
    if (this.hold) {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(GIVEN_UP)));
    }
    return refs.map(({ size }) => {
      onBytes(size);
      return new Uint8Array(size);
    });
  }
}

/** Writes down what is replied, and lets a test wait for it. */
export class Recorder implements Replies, Watcher {
  readonly answers = new Map<number, { value: Record<string, unknown>; tensors: Tensors }>();
  readonly errors = new Map<number, AccelerateError>();
  readonly progresses: [number, string, number, number][] = [];
  readonly order: number[] = [];
  busy: number[] = [];
  private waiting = new Map<number, () => void>();

  progress(id: number, stage: string, done: number, total: number): void {
    this.progresses.push([id, stage, done, total]);
  }

  async answer(id: number, value: object, tensors: Tensors = new Map()): Promise<void> {
    this.answers.set(id, { value: value as Record<string, unknown>, tensors });
    this.done(id);
  }

  async fail(id: number, error: AccelerateError): Promise<void> {
    this.errors.set(id, error);
    this.done(id);
  }

  began(id: number): void {
    this.busy.push(id);
  }

  ended(): void {
    this.busy.pop();
  }

  /** Settles when this request was answered. */
  async replied(id: number): Promise<void> {
    if (this.order.includes(id)) return;
    await new Promise<void>((resolve) => this.waiting.set(id, resolve));
  }

  private done(id: number): void {
    this.order.push(id);
    this.waiting.get(id)?.();
  }
}

/** A load of a model of one weight. */
export function loadOf(id: number, model: string): Load {
  const weights = [{ path: "w", cid: "bweight", size: 8 }];
  const graph = { cid: "bgraph", size: 4 };
  const how = { platform: "fake", fallback: false, dimensions: {} };
  return { type: "load", id, model, ...how, graph, weights, lent: [] };
}
