"""A WebSocket to one page or engine: the shell around its frames, on asyncio's own transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import ProtocolError, TransportError
from ipfs_accelerate.server.websocket_frames import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    Message,
    Reader,
    header,
)

if TYPE_CHECKING:
    from ipfs_accelerate.protocol.tensor import Buffer

NORMAL_CLOSURE = 1000
PROTOCOL_FAULT = 4400
SMALL_BYTES = 64 * 1024
"""What is smaller goes in one write; what is larger in slices, each when there is room for it."""
SLICE_BYTES = 256 * 1024
HIGH_WATER_BYTES = 1024 * 1024
CLOSE_S = 1.0
"""How long the other side may take to answer a close."""

OnMessage = Callable[["bytes | bytearray"], None]
OnHandshake = Callable[["Socket", bytes], tuple[bytes, bool]]


class Socket(asyncio.BufferedProtocol):
    """Binary messages both ways, once `on_handshake` has let it in.

    That gets the request that asks for the socket, and gives what to answer and whether the socket
    stands. An HTTP server hands a connection over by `connection_made` and one `data_received`.
    """

    def __init__(self, max_message_bytes: int, on_handshake: OnHandshake) -> None:
        self._on_handshake = on_handshake
        self.ended = asyncio.Event()
        # Why it ended, in words; the first reason counts.
        self.reason = ""
        self._reader = Reader(max_message_bytes)
        self._transport: asyncio.Transport | None = None
        self._on_message: OnMessage | None = None
        self._on_end: Callable[[], None] | None = None
        self._early: list[bytes | bytearray] = []
        self._room = asyncio.Event()
        self._room.set()
        # Held by whoever sends a message in slices, since nothing may come between them.
        self._turn = asyncio.Lock()
        self._closing = False
        self._close_timer: asyncio.TimerHandle | None = None

    @property
    def closing(self) -> bool:
        """Whether nothing more can be sent."""
        return self._closing

    def listen(self, on_message: OnMessage, on_end: Callable[[], None]) -> None:
        """From now on `on_message` gets each binary message; what came before it gets at once."""
        self._on_message, self._on_end = on_message, on_end
        early, self._early = self._early, []
        for data in early:
            self._deliver(data)

    async def send(self, chunks: Sequence[Buffer]) -> None:
        """Send these one after another as one message, and wait until the next has room."""
        if self._closing or self._transport is None:
            raise TransportError("The socket is closed.")
        size = sum(map(len, chunks))
        if size <= SMALL_BYTES and not self._turn.locked():
            self._transport.write(b"".join((header(BINARY, size), *chunks)))
        else:
            async with self._turn:
                await self._send_long(chunks, size)
        if not self._room.is_set():
            await self._room.wait()

    async def _send_long(self, chunks: Sequence[Buffer], size: int) -> None:
        slices = _slices(chunks)
        self._write(header(BINARY, size))
        try:
            for data in slices:
                self._write(data)
                if not self._room.is_set():
                    await self._room.wait()
        except asyncio.CancelledError:
            for data in slices:  # half a message would end the socket
                self._write(data)
            raise

    def _write(self, data: Buffer) -> None:
        if self._closing or self._transport is None:
            raise TransportError("The socket was closed while something was sent.")
        self._transport.write(data)

    def close(self, code: int, reason: str) -> None:
        """Say goodbye; the socket ends when the other side has answered, or after a second."""
        if self._closing:
            return
        self._closing = True
        self.reason = self.reason or reason
        self._room.set()
        if self._transport is None:
            return
        # A reason holds 123 bytes, and may speak of anything that came.
        text = reason.encode()[:120].decode(errors="ignore").encode()
        if not self._turn.locked():
            self._transport.write(header(CLOSE, 2 + len(text)) + code.to_bytes(2) + text)
        loop = asyncio.get_running_loop()
        self._close_timer = loop.call_later(CLOSE_S, self._transport.abort)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio's: there is a connection."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - a stream has no other
        self._transport = transport
        transport.set_write_buffer_limits(high=HIGH_WATER_BYTES)

    def data_received(self, data: bytes) -> None:
        """The HTTP server's, once: the request, whole."""
        assert self._transport is not None  # noqa: S101 - `connection_made` comes first
        answer, stands = self._on_handshake(self, data)
        self._transport.write(answer)
        if not stands:
            self._transport.close()

    def get_buffer(self, sizehint: int) -> Any:  # noqa: ARG002 - it has its own size
        """asyncio's: where the next bytes go."""
        return self._reader.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        """asyncio's: so many bytes came."""
        try:
            for message in self._reader.filled(nbytes):
                self._take(message)
        except ProtocolError as error:
            self.fail(error)

    def pause_writing(self) -> None:
        """asyncio's: the transport holds enough."""
        self._room.clear()

    def resume_writing(self) -> None:
        """asyncio's: the transport has room again."""
        self._room.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio's: it is over."""
        self._closing = True
        self.reason = self.reason or (str(exc) if exc else "its socket was closed")
        if self._close_timer is not None:
            self._close_timer.cancel()
        self._room.set()
        self.ended.set()
        if self._on_end is not None:
            self._on_end()

    def fail(self, error: ProtocolError) -> None:
        """End it for what the other side did."""
        self.reason = f"it broke the protocol: {error}"
        self.close(PROTOCOL_FAULT, str(error))

    def _take(self, message: Message) -> None:
        assert self._transport is not None  # noqa: S101 - bytes have come over it
        if message.opcode == CLOSE:
            self.close(NORMAL_CLOSURE, "its socket was closed")
            self._transport.close()
        elif self._closing or message.opcode == PONG:
            pass
        elif message.opcode == PING:
            if not self._turn.locked():
                self._transport.write(header(PONG, len(message.data)) + message.data)
        elif message.opcode != BINARY:
            raise ProtocolError("A text message came: every message of the wire is binary.")
        else:
            self._deliver(message.data)

    def _deliver(self, data: bytes | bytearray) -> None:
        if self._on_message is None:
            self._early.append(data)
            return
        try:
            self._on_message(data)
        except ProtocolError as error:
            self.fail(error)


def _slices(chunks: Sequence[Buffer]) -> Any:
    """The chunks' own memory, no more than SLICE_BYTES at a time."""
    for chunk in chunks:
        view = memoryview(chunk)
        for start in range(0, len(view), SLICE_BYTES):
            yield view[start : start + SLICE_BYTES]
