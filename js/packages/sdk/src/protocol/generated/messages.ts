// Generated from spec/messages.schema.json by `npm run generate`. Do not edit.
/**
 * Every message of the wire. PROTOCOL.md says what each is for.
 */
export type Message =
  | Hello
  | Goodbye
  | Beat
  | Load
  | Unload
  | Run
  | Put
  | Get
  | Drop
  | Ping
  | Probe
  | Restart
  | Tally
  | Cancel
  | Progress
  | Result
  | Error
  | Part
  | Abort;
export type Count = number;
export type Id = number;
export type Reference =
  | {
      tensor: string;
    }
  | {
      handle: Id;
    }
  | {
      step: Count;
      output: string;
    };
export type Value = LoadValue | RunValue | DropValue | ProbeValue | TallyValue;

export interface Wire {
  message: Message;
  value: Value;
}
export interface Hello {
  type: "hello";
  version: Count;
  role: "host" | "page" | "engine";
  agent: string;
  limits: Limits;
  capabilities?: Capabilities;
}
export interface Limits {
  max_frame_bytes: number;
  max_message_bytes: number;
}
/**
 * What a peer has found out of itself before it said hello.
 */
export interface Capabilities {
  /**
   * those that its runtime can run models on
   */
  platforms: string[];
  /**
   * the build of onnxruntime-web that it uses: plain, asyncify or jspi
   */
  runtime: string;
  cores: Count;
  /**
   * threads that the WASM backend was given
   */
  threads: number;
  simd: boolean;
}
export interface Goodbye {
  type: "goodbye";
  reason: string;
}
export interface Beat {
  type: "beat";
  engine: "starting" | "idle" | "busy" | "ended";
  request?: Id;
  busy_ms?: number;
}
export interface Load {
  type: "load";
  id: Id;
  model: string;
  platform: string;
  /**
   * whether operators that the platform lacks may run on the CPU
   */
  fallback: boolean;
  /**
   * free dimensions by name that are fixed for this load
   */
  dimensions: {
    [k: string]: Count;
  };
  graph: Block;
  weights: Weight[];
  /**
   * weights that the graph takes as inputs, and that the engine holds once for all models
   */
  lent: Lent[];
}
export interface Block {
  cid: string;
  size: Count;
}
export interface Weight {
  /**
   * the location that the graph's external data names
   */
  path: string;
  cid: string;
  size: Count;
}
export interface Lent {
  /**
   * the input of the graph that it is
   */
  input: string;
  cid: string;
  size: Count;
  /**
   * as a frame's header writes it
   */
  dtype: string;
  shape: Count[];
}
export interface Unload {
  type: "unload";
  id: Id;
  model: string;
}
export interface Run {
  type: "run";
  id: Id;
  steps: Step[];
  fetch: Fetch[];
  keep: Keep[];
}
export interface Step {
  model: string;
  inputs: {
    [k: string]: Reference;
  };
}
export interface Fetch {
  of: Reference;
  as: string;
}
export interface Keep {
  step: Count;
  output: string;
  handle: Id;
}
export interface Put {
  type: "put";
  id: Id;
  handle: Id;
}
export interface Get {
  type: "get";
  id: Id;
  handle: Id;
}
export interface Drop {
  type: "drop";
  id: Id;
  handles: Id[];
}
export interface Ping {
  type: "ping";
  id: Id;
}
export interface Probe {
  type: "probe";
  id: Id;
  platforms: string[];
  /**
   * whether speeds are wanted too, which takes longer
   */
  measure: boolean;
}
export interface Restart {
  type: "restart";
  id: Id;
  reason: string;
  /**
   * the build of onnxruntime-web that the fresh engine uses
   */
  runtime: string;
}
export interface Tally {
  type: "tally";
  id: Id;
}
export interface Cancel {
  type: "cancel";
  id: Id;
}
export interface Progress {
  type: "progress";
  id: Id;
  stage: string;
  done: Count;
  total: Count;
}
export interface Result {
  type: "result";
  id: Id;
  /**
   * LoadValue for load, RunValue for run, DropValue for drop, ProbeValue for probe, else empty
   */
  value: Record<string, unknown>;
}
export interface Error {
  type: "error";
  id: Id;
  /**
   * a key of errors.json
   */
  code: string;
  message: string;
  details: Record<string, unknown>;
}
export interface Part {
  type: "part";
  stream: Id;
  offset: Count;
  total: Count;
}
export interface Abort {
  type: "abort";
  stream: Id;
}
export interface LoadValue {
  inputs: Port[];
  outputs: Port[];
  platform: string;
  backend: string;
  device: string;
  /**
   * the operators that the platform lacks, and that run on the CPU
   */
  fell_back: string[];
  weight_bytes: Count;
  fetch_ms: number;
  create_ms: number;
}
/**
 * An input or output of a model. A free dimension is its name, or null.
 */
export interface Port {
  name: string;
  dtype: string;
  shape: (number | string | null)[];
}
export interface RunValue {
  steps: StepValue[];
  kept: KeptValue[];
  queued_ms: number;
  /**
   * from the last step's return until its work was done and fetched
   */
  fetch_ms: number;
  total_ms: number;
  /**
   * those of the steps and of what was fetched
   */
  readbacks: number;
}
export interface StepValue {
  model: string;
  backend: string;
  device: string;
  run_ms: number;
  /**
   * times that the device's memory was read back during the step
   */
  readbacks: number;
}
/**
 * What the plan said to keep, as it came out.
 */
export interface KeptValue {
  handle: Id;
  dtype: string;
  shape: Count[];
}
export interface DropValue {
  dropped: Count;
}
export interface ProbeValue {
  abilities: Ability[];
}
/**
 * What a peer has found out of one platform by trying it.
 */
export interface Ability {
  platform: string;
  device: "gpu" | "software-gpu" | "npu" | "cpu" | "none";
  /**
   * the adapter's own words, or why the platform is not there
   */
  about: string;
  /**
   * whether it computes with 16-bit floats
   */
  f16: boolean;
  /**
   * of a small matmul; 0 where it was not measured
   */
  gflops: number;
  /**
   * of a copy from the device; 0 where it was not measured
   */
  copy_mb_s: number;
  /**
   * adapter, limits, features, contexts: what the browser told
   */
  details: Record<string, unknown>;
}
export interface TallyValue {
  /**
   * those that are ready to run
   */
  models: number;
  /**
   * of the blocks that these were given as weights; those that are lent once
   */
  weight_bytes: number;
  /**
   * tensors that stay live between requests
   */
  handles: number;
  handle_bytes: Count;
  /**
   * every tensor that was made on a device and not yet freed
   */
  tensors: number;
}
