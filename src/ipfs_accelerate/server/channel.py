"""The shell around a session: a socket, the futures of what was asked, and nothing decided here."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import ipfs_accelerate
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
from ipfs_accelerate.server.socket import NORMAL_CLOSURE, Socket
from ipfs_accelerate.server.trace import wire_trace

HELLO_S = 10.0
OnProgress = Callable[[str, int, int], None]


class Answer(NamedTuple):
    """What came back for a request."""

    value: Mapping[str, Any]
    tensors: Mapping[str, Tensor]


class Channel:
    """A live socket to a page or an engine. `request` asks; `serve` reads until the socket ends."""

    def __init__(self, socket: Socket, limits: Limits, *, label: str) -> None:
        self.label = label
        self.beat: Beat | None = None
        self.ended = asyncio.Event()
        # Called as it ends, before those who wait for answers hear of it.
        self.on_end: Callable[[], None] | None = None
        self.ending = ""
        self._socket = socket
        # Set once both sides have said hello, and at the end, if one never does.
        self._greeted = asyncio.Event()
        self._on_open: Callable[[], None] = _nobody
        hello = Hello(
            VERSION, "host", f"ipfs-accelerate/{ipfs_accelerate.__version__} python", limits
        )
        self._session = Session(hello)
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._progress: dict[int, OnProgress] = {}
        self._long = asyncio.Semaphore(MAX_STREAMS)
        self._trace = wire_trace(label)
        self._tasks: set[asyncio.Task[None]] = set()

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
        """Listen until the socket ends; `on_open` is called once both sides have said hello."""
        self._on_open = on_open
        self._socket.listen(self._received, self._greeted.set)
        try:
            await self._send(self._session.start())
            async with asyncio.timeout(HELLO_S):
                await self._greeted.wait()
            await self._socket.ended.wait()
        except TransportError:
            pass
        except TimeoutError:
            self.ending = f"it said no hello within {HELLO_S:.0f} s"
        finally:
            await self._end()

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
        if self._session.state == "open":
            with contextlib.suppress(AccelerateError):
                self._push(self._session.notify(Goodbye(reason)))
        self._socket.close(NORMAL_CLOSURE, reason)
        await self._socket.ended.wait()

    async def _send(self, frame: Frame) -> None:
        outgoing = self._session.pieces(frame)
        if self._trace:
            self._trace("->", frame)
        try:
            if outgoing.is_split:
                async with self._long:
                    for piece in outgoing:
                        await self._socket.send(piece)
            else:
                await self._socket.send(next(outgoing))
        except asyncio.CancelledError:
            if (abort := outgoing.abort()) is not None:
                self._later(abort)
            raise

    def _cancel(self, number: int) -> None:
        self._push(self._session.cancel(number))

    def _push(self, frame: Frame | None) -> None:
        """Send what is known to be small."""
        if frame is None:
            return
        if self._trace:
            self._trace("->", frame)
        for piece in self._session.pieces(frame):
            self._later(b"".join(piece))

    def _later(self, data: bytes) -> None:
        """Send without waiting: the caller may be being cancelled, and must not wait."""
        task = asyncio.get_running_loop().create_task(self._send_quietly(data))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send_quietly(self, data: bytes) -> None:
        with contextlib.suppress(TransportError):
            await self._socket.send([data])

    def _received(self, data: bytes | bytearray) -> None:
        if self._trace:
            self._trace("<-", decode(data))
        for event in self._session.receive(data):
            if isinstance(event, Opened):
                self._greeted.set()
                self._on_open()
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
                self._push(self._session.answer(number, {}))
            case Asked(number, message):
                refusal = ProtocolError(f"A host is not asked for {type_name(message)}.")
                self._push(self._session.fail(number, refusal))
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
        self.ending = self.ending or self._socket.reason
        if self.on_end is not None:
            self.on_end()
        for event in self._session.lost():
            self._dispatch(event)
        self.ended.set()
        await self.close(self.ending)


def _nobody() -> None:
    """Hears of a channel's opening before anybody asked to."""
