import { AccelerateError } from "../protocol/errors.ts";

/** A block as a message names it. */
export interface BlockRef {
  readonly cid: string;
  readonly size: number;
}

/** Called with the number of bytes that came since the last call. */
export type OnBytes = (bytes: number) => void;

const CONCURRENT = 6;

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

  private async fetchOne(
    ref: BlockRef,
    onBytes: OnBytes,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    try {
      const url = new URL(`blocks/${encodeURIComponent(ref.cid)}`, this.base);
      const headers = { Authorization: `Bearer ${this.token}` };
      const response = await fetch(url, { headers, signal });
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
  for await (const chunk of body) {
    if (offset + chunk.byteLength > size) throw new Error(`it is longer than its ${size} bytes`);
    whole.set(chunk, offset);
    offset += chunk.byteLength;
    onBytes(chunk.byteLength);
  }
  if (offset !== size) throw new Error(`it ended after ${offset} of ${size} bytes`);
  return whole;
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
