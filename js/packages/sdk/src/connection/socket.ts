/** The part of a WebSocket that a connection uses, so that a test can pass its own. */
export interface Socket {
  binaryType: string;
  readonly bufferedAmount: number;
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
}

/** What a page was told of its server. */
export interface Server {
  /** The server's URL, under which its sockets and blocks lie. */
  readonly base: string;
  readonly token: string;
  /** The number of this worker in its pool. */
  readonly worker: number;
}

const SUBPROTOCOL = "ipfs-accelerate.1";

/** Dials the server. The token goes as a subprotocol, since a page can set no header. */
export function dial({ base, token, worker }: Server, role: "page" | "engine"): WebSocket {
  const url = new URL(`socket?role=${role}&worker=${worker}`, base);
  url.protocol = url.protocol.replace("http", "ws");
  return new WebSocket(url, [SUBPROTOCOL, `bearer.${token}`]);
}
