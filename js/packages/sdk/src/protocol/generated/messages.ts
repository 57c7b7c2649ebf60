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
  | Restart
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
export type Value = LoadValue | RunValue | DropValue;

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
 * What a peer has measured of itself.
 */
export interface Capabilities {
  platforms: string[];
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
  graph: Block;
  weights: Weight[];
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
  step: Count;
  output: string;
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
export interface Restart {
  type: "restart";
  id: Id;
  reason: string;
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
   * LoadValue for load, RunValue for run, DropValue for drop, else empty
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
  queued_ms: number;
  total_ms: number;
}
export interface StepValue {
  model: string;
  backend: string;
  device: string;
  run_ms: number;
}
export interface DropValue {
  dropped: Count;
}
