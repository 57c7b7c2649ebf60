import type { Speed } from "./ability.ts";
import { kicked, PollKicker } from "./kick.ts";
import { gflops, K, left, M, N, requireRight, right, worstError } from "./matmul.ts";
import { medianMs, megabytesPerSecond, repeatedMs } from "./timing.ts";
import { within } from "./within.ts";

const MAP_READ = 1;
const COPY_SRC = 4;
const COPY_DST = 8;
const STORAGE = 128;
const F32 = 4;
const COPIED_BYTES = 4 * 2 ** 20;
const WORKGROUP = 8;

/**
 * Each invocation makes 4 x 4 elements in registers. There is no workgroup memory and no barrier:
 * those are the worst case of software adapters, and make a matmul 25 times slower there.
 */
const KERNEL = `
@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;
const K4 = ${K / 4}u;
const N4 = ${N / 4}u;

@compute @workgroup_size(${WORKGROUP}, ${WORKGROUP})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = id.x;
  let row = id.y * 4u;
  var s0 = vec4f(); var s1 = vec4f(); var s2 = vec4f(); var s3 = vec4f();
  for (var k = 0u; k < K4; k++) {
    let b0 = b[(4u * k) * N4 + column];
    let b1 = b[(4u * k + 1u) * N4 + column];
    let b2 = b[(4u * k + 2u) * N4 + column];
    let b3 = b[(4u * k + 3u) * N4 + column];
    let a0 = a[row * K4 + k];
    let a1 = a[(row + 1u) * K4 + k];
    let a2 = a[(row + 2u) * K4 + k];
    let a3 = a[(row + 3u) * K4 + k];
    s0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
    s1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
    s2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
    s3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
  }
  c[row * N4 + column] = s0;
  c[(row + 1u) * N4 + column] = s1;
  c[(row + 2u) * N4 + column] = s2;
  c[(row + 3u) * N4 + column] = s3;
}`;

/** A device's speed, and what else was seen while measuring. Throws where it computes wrongly. */
export async function webGpuSpeed(device: GPUDevice): Promise<[Speed, object]> {
  const slow = await within("a readback of 4 bytes", PollKicker.of(device).slow());
  const matmul = await within("making a kernel", Matmul.on(device));
  const product = new Float32Array(await within("a matmul", matmul.product()));
  const error = worstError(product);
  requireRight(error);
  const matmulMs = await within(
    "timing matmuls",
    repeatedMs((times) => matmul.run(times)),
  );
  const copyMs = await within("timing copies", copyTime(device));
  const speed = { gflops: gflops(matmulMs), copy_mb_s: megabytesPerSecond(COPIED_BYTES, copyMs) };
  const seen = { matmul_ms: matmulMs, copy_ms: copyMs, worst_error: error, polls_slowly: slow };
  return [speed, seen];
}

/** The matmul with its buffers on a device; destroying the device frees them. */
class Matmul {
  private readonly device: GPUDevice;
  private readonly pipeline: GPUComputePipeline;
  private readonly bindings: GPUBindGroup;
  private readonly output: GPUBuffer;

  static async on(device: GPUDevice): Promise<Matmul> {
    const module = device.createShaderModule({ code: KERNEL });
    const compute = { module, entryPoint: "main" };
    const pipeline = device.createComputePipelineAsync({ layout: "auto", compute });
    return new Matmul(device, await pipeline);
  }

  private constructor(device: GPUDevice, pipeline: GPUComputePipeline) {
    this.device = device;
    this.pipeline = pipeline;
    this.output = device.createBuffer({ size: M * N * F32, usage: STORAGE | COPY_SRC });
    const buffers = [filled(device, left()), filled(device, right()), this.output];
    this.bindings = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
  }

  /** Runs it so many times, and waits until the last has ended. */
  run(times: number): Promise<unknown> {
    const { device } = this;
    device.queue.submit([this.commands(times).finish()]);
    return kicked(device, device.queue.onSubmittedWorkDone());
  }

  /** Runs it once, and brings the product back. */
  async product(): Promise<ArrayBuffer> {
    this.device.queue.submit([this.commands(1).finish()]);
    return readBack(this.device, this.output);
  }

  private commands(times: number): GPUCommandEncoder {
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, this.bindings);
    for (let time = 0; time < times; time++) {
      pass.dispatchWorkgroups(N / 4 / WORKGROUP, M / 4 / WORKGROUP);
    }
    pass.end();
    return encoder;
  }
}

function filled(device: GPUDevice, data: Float32Array<ArrayBuffer>): GPUBuffer {
  const buffer = device.createBuffer({ size: data.byteLength, usage: STORAGE | COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

async function copyTime(device: GPUDevice): Promise<number> {
  const buffer = device.createBuffer({ size: COPIED_BYTES, usage: STORAGE | COPY_SRC });
  await readBack(device, buffer); // to warm up
  return medianMs(() => readBack(device, buffer));
}

async function readBack(device: GPUDevice, from: GPUBuffer): Promise<ArrayBuffer> {
  const to = device.createBuffer({ size: from.size, usage: MAP_READ | COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
  device.queue.submit([encoder.finish()]);
  await kicked(device, to.mapAsync(MAP_READ));
  const bytes = to.getMappedRange().slice(0);
  to.destroy();
  return bytes;
}
