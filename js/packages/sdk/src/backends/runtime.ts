import type * as Ort from "onnxruntime-web/wasm";
import { AccelerateError } from "../protocol/errors.ts";
import { failure, isFatal } from "./failures.ts";
import { tapConsole } from "./placements.ts";
import { tinyModel } from "./tiny-model.ts";

/** onnxruntime-web's module, whichever of its builds that is. */
export type OrtModule = typeof Ort;
/** A build of onnxruntime-web: plain has WASM alone, the others WebGPU and WebNN too. */
export type RuntimeKind = "plain" | "asyncify" | "jspi";

const MODULES: Record<RuntimeKind, () => Promise<OrtModule>> = {
  plain: () => import("onnxruntime-web/wasm"),
  asyncify: () => import("onnxruntime-web/webgpu"),
  jspi: () => import("onnxruntime-web/jspi"),
};
/** The build of this name, `undefined` for any other. */
export function runtimeKind(name: string): RuntimeKind | undefined {
  return Object.hasOwn(MODULES, name) ? (name as RuntimeKind) : undefined;
}

const FILES: Record<RuntimeKind, string> = {
  plain: "ort-wasm-simd-threaded",
  asyncify: "ort-wasm-simd-threaded.asyncify",
  jspi: "ort-wasm-simd-threaded.jspi",
};

/** Where onnxruntime's own files lie, how many threads it gets, and which build it is. */
export interface RuntimeOptions {
  readonly folder: string;
  readonly threads: number;
  /** Left out, the first model's platform decides. */
  readonly kind?: RuntimeKind | undefined;
}

/** onnxruntime-web in this realm. It has one heap, so there is one of these in each Worker. */
export class Runtime {
  /** Whether it has failed for good, so that only a fresh Worker helps. */
  broken = false;
  private readonly options: RuntimeOptions;
  private chosen: RuntimeKind | undefined;
  private started: Promise<OrtModule> | undefined;

  constructor(options: RuntimeOptions) {
    this.options = options;
    this.chosen = options.kind;
  }

  /** How many threads WASM gets: one where memory can't be shared. */
  get threads(): number {
    return globalThis.crossOriginIsolated ? Math.max(1, this.options.threads) : 1;
  }

  /** The build that is used, once that is decided. */
  get kind(): RuntimeKind | undefined {
    return this.chosen;
  }

  /** The module, ready to make sessions on this platform; compiled by whoever comes first. */
  start(platform: string): Promise<OrtModule> {
    this.chosen ??= kindFor(platform);
    if (this.chosen === "plain" && platform !== "wasm") throw withoutPlatform(platform);
    this.started ??= this.compile(this.chosen);
    return this.started;
  }

  /** Runs a call of onnxruntime, and says in our words what it says in its own. */
  async guard<T>(
    code: "model_invalid" | "run_failed",
    what: string,
    call: () => Promise<T>,
  ): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      this.broken ||= isFatal(cause);
      throw failure(code, what, cause);
    }
  }

  private async compile(kind: RuntimeKind): Promise<OrtModule> {
    try {
      tapConsole();
      const ort = await MODULES[kind]();
      const file = new URL(FILES[kind], this.options.folder).href;
      ort.env.logLevel = "error";
      ort.env.wasm.numThreads = this.threads;
      ort.env.wasm.wasmPaths = { mjs: `${file}.mjs`, wasm: `${file}.wasm` };
      const session = await ort.InferenceSession.create(tinyModel(), {
        executionProviders: ["wasm"],
      });
      await session.release();
      return ort;
    } catch (cause) {
      this.broken = true;
      throw failure("model_invalid", "onnxruntime-web did not start", cause);
    }
  }
}

function kindFor(platform: string): RuntimeKind {
  return platform === "wasm" ? "plain" : "asyncify";
}

function withoutPlatform(platform: string): AccelerateError {
  return new AccelerateError(
    "bad_option",
    `This engine uses the plain build of onnxruntime-web, which has no ${platform}: restart it.`,
    { platform },
  );
}
