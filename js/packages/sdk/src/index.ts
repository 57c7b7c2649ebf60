/** The SDK's public names. */
export type {
  Backend,
  DeviceTensor,
  ExternalWeight,
  LoadedModel,
} from "./backends/backend.ts";
export { Runtime, type RuntimeKind, type RuntimeOptions, runtimeKind } from "./backends/runtime.ts";
export { Connection, type Listener } from "./connection/connection.ts";
export { helloOf } from "./connection/hello.ts";
export { dial, type Server, type Socket } from "./connection/socket.ts";
export { everyBackend } from "./inference/backends.ts";
export { capabilities } from "./inference/capabilities.ts";
export { Engine } from "./inference/engine.ts";
export { type PeerWatcher, serveEngine } from "./inference/peer.ts";
export { type Replies, Service, type Watcher } from "./inference/service.ts";
export { Task } from "./inference/task.ts";
export { type AdapterWords, adapterLine, adapterWords, isSoftware } from "./probe/adapter.ts";
export { kicked, PollKicker } from "./probe/kick.ts";
export { requestAdapter } from "./probe/request-adapter.ts";
export { probeWebGpu } from "./probe/webgpu.ts";
export { probeWebNn } from "./probe/webnn.ts";
export { decode, encode, type Frame, frameOf } from "./protocol/codec.ts";
export { AccelerateError, type Code, type Kind } from "./protocol/errors.ts";
export type { Event, Request } from "./protocol/events.ts";
export type * from "./protocol/generated/messages.ts";
export type { Outgoing } from "./protocol/outgoing.ts";
export { Session, WIRE_VERSION } from "./protocol/session.ts";
export type { Dtype, Tensor, Tensors } from "./protocol/tensor.ts";
export { Blocks } from "./storage/blocks.ts";
