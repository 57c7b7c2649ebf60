"""The shell around a session: a socket, the futures of what was asked, and nothing decided here."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from ipfs_accelerate import __version__
from ipfs_accelerate.errors import AccelerateError, ProtocolError, TransportError
from ipfs_accelerate.protocol.codec import Frame, Tensor, decode
from ipfs_accelerate.protocol.events import (
    Answered,
    Asked,
    Beaten,
    Ended,
    Event,
    Opened,
    Progressed,
    Refused,
)
from ipfs_accelerate.protocol.messages import (
    VERSION,
    Beat,
    Goodbye,
    Hello,
    Limits,
    Ping,
    Request,
    type_name,
)
from ipfs_accelerate.protocol.session import Session
from ipfs_accelerate.protocol.streams import MAX_STREAMS
from ipfs_accelerate.server.trace import wire_trace

if TYPE_CHECKING:
    from ipfs_accelerate.protocol.outgoing import Outgoing

HELLO_S = 10.0
NORMAL_CLOSURE = 1000
PROTOCOL_FAULT = 4400
OnProgress = Callable[[str, int, int], None]


class Answer(NamedTuple):
    """What came back for a request."""

    value: Mapping[str, Any]
    tensors: Mapping[str, Tensor]


class Channel:
    """A live socket to a page or an engine. `request` asks; `serve` reads until the socket ends."""

    def __init__(self, websocket: WebSocket, limits: Limits, *, label: str) -> None:
        self.label = label
        self.beat: Beat | None = None
        self.ended = asyncio.Event()
        # Called as it ends, before those who wait for answers hear of it.
        self.on_end: Callable[[], None] | None = None
        self.ending = ""
        self._websocket = websocket
        hello = Hello(VERSION, "host", f"ipfs-accelerate/{__version__} python", limits)
        self._session = Session(hello)
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._progress: dict[int, OnProgress] = {}
        self._sending = asyncio.Lock()
        self._long = asyncio.Semaphore(MAX_STREAMS)
        self._trace = wire_trace(label)
        self._tasks: set[asyncio.Task[None]] = set()
        self._close_code = NORMAL_CLOSURE

    def __repr__(self) -> str:
        return f"<Channel {self.label} {self._session.state} open={len(self._waiting)}>"

    @property
    def peer(self) -> Hello:
        """What the other side said of itself."""
        if self._session.peer is None:
            raise TransportError(f"The {self.label} has not said hello yet.")
        return self._session.peer

    @property
    def late_replies(self) -> int:
        """Answers that came for what was no longer asked."""
        return self._session.late_replies

    async def serve(self, on_open: Callable[[], None]) -> None:
        """Read until the socket ends; `on_open` is called once both sides have said hello."""
        self.ending = "its socket was closed"
        try:
            await self._send(self._session.start())
            async with asyncio.timeout(HELLO_S) as patience:
                while True:
                    self._handle(await self._receive(), on_open, patience)
        except (WebSocketDisconnect, TransportError):
            pass
        except TimeoutError:
            self.ending = f"it said no hello within {HELLO_S:.0f} s"
        except ProtocolError as error:
            self.ending = f"it broke the protocol: {error}"
            self._close_code = PROTOCOL_FAULT
        finally:
            await self._end()

    async def _receive(self) -> bytes:
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message["code"])
        data: bytes | None = message.get("bytes")
        if data is None:
            raise ProtocolError("A text message came: every message of the wire is binary.")
        return data

    async def request(
        self,
        message: Request,
        tensors: Mapping[str, Tensor] | None = None,
        on_progress: OnProgress | None = None,
    ) -> Answer:
        """Ask, and wait for the one answer. Cancelled here, it is cancelled there."""
        frame = self._session.request(message, tensors or {})
        number: int = frame.message.id  # type: ignore[union-attr]  # a request has one
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        if on_progress is not None:
            self._progress[number] = on_progress
        try:
            await self._send(frame)
            return await future
        except asyncio.CancelledError:
            self._cancel(number)
            raise
        finally:
            self._waiting.pop(number, None)
            self._progress.pop(number, None)

    @property
    def settled(self) -> bool:
        """Whether the other side has answered all that was cancelled."""
        return not self._session.cancelled_requests

    def gave_up(self, number: int | None) -> bool:
        """Whether this request was cancelled, and is not answered yet."""
        return number in self._session.cancelled_requests

    async def close(self, reason: str) -> None:
        """Say goodbye and end the socket. Idempotent."""
        self.ending = reason
        with contextlib.suppress(AccelerateError, WebSocketDisconnect, RuntimeError, TimeoutError):
            async with asyncio.timeout(1):
                if self._session.state == "open":
                    await self._send(self._session.notify(Goodbye(reason)))
                if self._websocket.application_state == WebSocketState.CONNECTED:
                    # A reason holds 123 bytes, and may speak of anything that came.
                    text = reason.encode()[:120].decode(errors="ignore")
                    await self._websocket.close(self._close_code, text)

    async def _send(self, frame: Frame) -> None:
        outgoing = self._session.pieces(frame)
        if self._trace:
            self._trace("->", frame)
        try:
            if outgoing.is_split:
                async with self._long:
                    await self._pieces(outgoing)
            else:
                await self._pieces(outgoing)
        except WebSocketDisconnect as error:
            raise TransportError(f"The {self.label} closed its socket.") from error
        except RuntimeError as error:  # starlette's answer to a send after a close
            raise TransportError(f"The socket of the {self.label} is closed.") from error
        except asyncio.CancelledError:
            if (abort := outgoing.abort()) is not None:
                self._later(abort)
            raise

    async def _pieces(self, outgoing: Outgoing) -> None:
        for piece in outgoing:
            # The lock is taken for each piece, so that small messages pass between large ones.
            async with self._sending:
                await self._websocket.send_bytes(piece)

    def _cancel(self, number: int) -> None:
        frame = self._session.cancel(number)
        if frame is not None:
            if self._trace:
                self._trace("->", frame)
            self._later(b"".join(self._session.pieces(frame)))

    def _later(self, data: bytes) -> None:
        """Send without waiting: the caller is being cancelled and must not wait."""

        async def send() -> None:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                async with self._sending:
                    await self._websocket.send_bytes(data)

        task = asyncio.get_running_loop().create_task(send())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _handle(self, data: bytes, on_open: Callable[[], None], patience: asyncio.Timeout) -> None:
        if self._trace:
            self._trace("<-", decode(data))
        for event in self._session.receive(data):
            if isinstance(event, Opened):
                patience.reschedule(None)
                on_open()
            else:
                self._dispatch(event)

    def _dispatch(self, event: Event) -> None:
        match event:
            case Answered(number, value, tensors):
                self._settle(number, Answer(value, tensors))
            case Refused(number, error):
                self._settle(number, error)
            case Progressed(number, stage, done, total):
                self._report(number, stage, done, total)
            case Beaten(beat):
                self.beat = beat
            case Asked(number, Ping()):
                frame = self._session.answer(number, {})
                if frame is not None:
                    self._later(b"".join(self._session.pieces(frame)))
            case Asked(number, message):
                refusal = ProtocolError(f"A host is not asked for {type_name(message)}.")
                frame = self._session.fail(number, refusal)
                if frame is not None:
                    self._later(b"".join(self._session.pieces(frame)))
            case Ended(reason):
                self.ending = reason
            case _:
                pass

    def _report(self, number: int, stage: str, done: int, total: int) -> None:
        callback = self._progress.get(number)
        if callback is None:
            return
        try:
            callback(stage, done, total)
        except Exception as error:  # noqa: BLE001 - the caller's own function may raise anything
            self._cancel(number)
            self._settle(number, error)

    def _settle(self, number: int, outcome: Answer | Exception) -> None:
        future = self._waiting.get(number)
        if future is None or future.done():
            return
        if isinstance(outcome, Answer):
            future.set_result(outcome)
        else:
            future.set_exception(outcome)

    async def _end(self) -> None:
        if self.on_end is not None:
            self.on_end()
        for event in self._session.lost():
            self._dispatch(event)
        self.ended.set()
        await self.close(self.ending)
