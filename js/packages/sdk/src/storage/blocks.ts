import { AccelerateError } from "../protocol/errors.ts";

/** A block as a message names it. */
export interface BlockRef {
  readonly cid: string;
  readonly size: number;
}

/** Called with the number of bytes that came since the last call. */
export type OnBytes = (bytes: number) => void;

const CONCURRENT = 6;
const SCRATCH_BYTES = 256 * 1024;

/** Fetches blocks by CID from the server that the page came from. */
export class Blocks {
  private readonly base: string;
  private readonly token: string;

  /** `base` is the server's URL, `token` the bearer that it asks for. */
  constructor(base: string, token: string) {
    this.base = base;
    this.token = token;
  }

  /** The blocks' bytes in the order asked for; the first failure stops the rest. */
  async fetchAll(
    refs: readonly BlockRef[],
    onBytes: OnBytes,
    signal: AbortSignal,
  ): Promise<Uint8Array[]> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const results: Uint8Array[] = new Array(refs.length);
    let next = 0;
    const work = async () => {
      for (let i = next++; i < refs.length; i = next++) {
        results[i] = await this.fetchOne(refs[i] as BlockRef, onBytes, either);
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(CONCURRENT, refs.length) }, work));
    } catch (error) {
      stop.abort();
      throw error;
    }
    return results;
  }

  /** A block's bytes, while the Worker waits for them: only a Worker may do that. */
  fetchNow(ref: BlockRef): Uint8Array {
    const request = new XMLHttpRequest();
    request.open("GET", this.urlOf(ref), false);
    request.responseType = "arraybuffer";
    request.setRequestHeader("Authorization", `Bearer ${this.token}`);
    try {
      request.send();
    } catch (cause) {
      throw unavailable(ref, cause);
    }
    const data = new Uint8Array(request.status === 200 ? request.response : 0);
    if (data.byteLength === ref.size) return data;
    throw unavailable(ref, `the server answered ${request.status} and ${data.byteLength} bytes`);
  }

  private urlOf({ cid }: BlockRef): URL {
    return new URL(`blocks/${encodeURIComponent(cid)}`, this.base);
  }

  private async fetchOne(
    ref: BlockRef,
    onBytes: OnBytes,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    try {
      const headers = { Authorization: `Bearer ${this.token}` };
      const response = await fetch(this.urlOf(ref), { headers, signal });
      if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
      return await read(response.body, ref.size, onBytes);
    } catch (cause) {
      if (signal.aborted) throw cancelled();
      throw unavailable(ref, cause);
    }
  }
}

/** Reads a stream into one array made for it, so that no second whole copy exists. */
async function read(
  body: ReadableStream<Uint8Array>,
  size: number,
  onBytes: OnBytes,
): Promise<Uint8Array> {
  const whole = new Uint8Array(size);
  let offset = 0;
  for await (const chunk of chunksOf(body)) {
    if (offset + chunk.byteLength > size) throw new Error(`it is longer than its ${size} bytes`);
    whole.set(chunk, offset);
    offset += chunk.byteLength;
    onBytes(chunk.byteLength);
  }
  if (offset !== size) throw new Error(`it ended after ${offset} of ${size} bytes`);
  return whole;
}

/** A stream's chunks, each to be used before the next, since they share one buffer where they can. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = bringYourOwn(body);
  if (!reader) {
    yield* body;
    return;
  }
  let buffer = new ArrayBuffer(SCRATCH_BYTES);
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (done || !value) return;
    yield value;
    buffer = value.buffer;
  }
}

/** A reader that fills our buffer in place of a new one for each chunk, where the browser has it. */
function bringYourOwn(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

function unavailable({ cid, size }: BlockRef, cause: unknown): AccelerateError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AccelerateError(
    "block_unavailable",
    `The block ${cid} of ${size} bytes could not be had: ${why}. Load the model again.`,
    { cid },
  );
}

function cancelled(): AccelerateError {
  return new AccelerateError("cancelled", "The load was cancelled while its blocks were fetched.");
}
