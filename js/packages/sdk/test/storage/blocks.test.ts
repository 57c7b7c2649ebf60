import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Blocks } from "../../src/storage/blocks.ts";

const NEVER = new AbortController().signal;
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<Blocks> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return new Blocks(`http://127.0.0.1:${port}/`, "secret");
}

const refs = (...names: string[]) => names.map((cid) => ({ cid, size: cid.length }));

describe("blocks", () => {
  it("come in the order asked for, with the bearer, and tell how far they are", async () => {
    const blocks = await serve(({ url, headers }, response) => {
      expect(headers.authorization).toBe("Bearer secret");
      response.end((url ?? "").slice("/blocks/".length));
    });
    let bytes = 0;
    const names = Array.from({ length: 20 }, (_, i) => "b".repeat(i + 1));
    const fetched = await blocks.fetchAll(refs(...names), (more) => (bytes += more), NEVER);
    expect(fetched.map((data) => new TextDecoder().decode(data))).toEqual(names);
    expect(bytes).toBe(210);
  });

  it("are read whole where they come in many chunks", async () => {
    const size = 3_000_001;
    const blocks = await serve((_, response) => {
      response.end(Buffer.alloc(size, 7));
    });
    const [data] = await blocks.fetchAll([{ cid: "b", size }], () => {}, NEVER);
    expect(data?.byteLength).toBe(size);
    expect(data?.every((byte) => byte === 7)).toBe(true);
  });

  it.each([
    ["longer than they say", 3, "longer"],
    ["shorter than they say", 5, "ended after 4"],
  ])("are refused where they are %s", async (_, size, text) => {
    const blocks = await serve((_, response) => response.end("four"));
    const failing = blocks.fetchAll([{ cid: "b", size }], () => {}, NEVER);
    await expect(failing).rejects.toMatchObject({ code: "block_unavailable" });
    await expect(failing).rejects.toThrow(text);
  });

  it("fail together, by the first that fails", async () => {
    const blocks = await serve(({ url }, response) => {
      response.statusCode = url?.endsWith("bad") ? 404 : 200;
      response.end("ok");
    });
    const failing = blocks.fetchAll(refs("ok", "bad"), () => {}, NEVER);
    await expect(failing).rejects.toThrow("404");
  });

  it("are given up when the request is cancelled", async () => {
    const blocks = await serve((_, response) => response.write("begun"));
    const stop = new AbortController();
    const failing = blocks.fetchAll([{ cid: "b", size: 9 }], () => stop.abort(), stop.signal);
    await expect(failing).rejects.toMatchObject({ code: "cancelled" });
  });
});
