"""The state of a channel without the channel: both sides run the same class.

A shell hands each frame that it gets from a call to `pieces`, sends the pieces, and hands each
message of the socket to `receive`; when the socket ends it calls `lost`.

    session = Session(hello)
    send(session.pieces(session.start()))
    for event in session.receive(data): ...
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from ipfs_accelerate.errors import (
    HINTS,
    AccelerateError,
    ProtocolError,
    TransportError,
    from_code,
)
from ipfs_accelerate.protocol import strict_json
from ipfs_accelerate.protocol.codec import Frame, chunks, decode
from ipfs_accelerate.protocol.events import (
    Answered,
    Asked,
    Beaten,
    CancelAsked,
    Ended,
    Event,
    Opened,
    Progressed,
    Refused,
)
from ipfs_accelerate.protocol.messages import (
    Abort,
    Beat,
    Cancel,
    Error,
    Goodbye,
    Hello,
    Message,
    Part,
    Progress,
    Request,
    Result,
    type_name,
)
from ipfs_accelerate.protocol.numbers_used import NumbersUsed
from ipfs_accelerate.protocol.outgoing import Outgoing
from ipfs_accelerate.protocol.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ipfs_accelerate.protocol.tensor import Buffer, Tensor

State: TypeAlias = Literal["opening", "open", "closed"]

REQUESTS: frozenset[type] = frozenset(get_args(Request))
# What a session takes in each state; spec/PROTOCOL.md has the same table.
TAKES: dict[State, frozenset[type]] = {
    "opening": frozenset({Hello}),
    "open": REQUESTS | {Goodbye, Beat, Cancel, Progress, Result, Error, Part, Abort},
    "closed": frozenset(),
}


class Session:
    """One side of a channel: who may say what, and which requests are open."""

    def __init__(self, hello: Hello) -> None:
        self.hello = hello
        self.state: State = "opening"
        # What the other side said of itself; None until it did.
        self.peer: Hello | None = None
        # Replies to requests that were neither open nor cancelled by us.
        self.late_replies = 0
        self._is_started = False
        self._last_id = 0
        self._last_stream = 0
        # Ours, unanswered, and still wanted by whoever asked.
        self._open: set[int] = set()
        # Ours, unanswered, and given up: what still comes for them is dropped.
        self._cancelled: set[int] = set()
        # Theirs, unanswered; True once they asked for its cancel.
        self._owed: dict[int, bool] = {}
        self._ids_seen = NumbersUsed()
        self._incoming = Streams()
        self._outgoing: set[int] = set()
        self._max_frame_bytes = hello.limits.max_frame_bytes
        self._max_message_bytes = hello.limits.max_message_bytes
        self._max_arriving_bytes = min(self._max_frame_bytes, self._max_message_bytes)
        self._handlers: dict[type, Callable[[Frame, Any], list[Event]]] = {
            **dict.fromkeys(REQUESTS, self._on_request),
            Hello: self._on_hello,
            Goodbye: self._on_goodbye,
            Beat: self._on_beat,
            Cancel: self._on_cancel,
            Progress: self._on_progress,
            Result: self._on_result,
            Error: self._on_error,
            Part: self._on_part,
            Abort: self._on_abort,
        }

    def __repr__(self) -> str:
        return (
            f"<Session {self.hello.role} {self.state}, open {sorted(self._open)}, "
            f"cancelled {sorted(self._cancelled)}, owed {sorted(self._owed)}>"
        )

    @property
    def open_requests(self) -> frozenset[int]:
        """Our requests that are unanswered and not cancelled."""
        return frozenset(self._open)

    @property
    def owed_requests(self) -> frozenset[int]:
        """The other side's requests that we have not answered."""
        return frozenset(self._owed)

    @property
    def cancelled_requests(self) -> frozenset[int]:
        """Our requests that we gave up and the other side has not answered yet."""
        return frozenset(self._cancelled)

    def start(self) -> Frame:
        """Give our hello, which is sent first and once."""
        if self._is_started or self.state == "closed":
            raise ProtocolError("Hello was said before.", code="out_of_order")
        self._is_started = True
        self._open_if_both()
        return Frame(self.hello)

    def request(self, message: Request, tensors: Mapping[str, Tensor] | None = None) -> Frame:
        """Open a request; its id is `frame.message.id`."""
        self._check_open(message)
        self._last_id += 1
        self._open.add(self._last_id)
        return Frame(replace(message, id=self._last_id), tensors or {})

    def progress(self, id: int, stage: str, done: int, total: int) -> Frame | None:  # noqa: A002 - the wire's word
        """Say how far a request of theirs is; None where it isn't open."""
        return Frame(Progress(id, stage, done, total)) if id in self._owed else None

    def answer(
        self,
        id: int,  # noqa: A002 - the wire's word
        value: Mapping[str, Any],
        tensors: Mapping[str, Tensor] | None = None,
    ) -> Frame | None:
        """Answer a request of theirs; None where it isn't open."""
        if self._owed.pop(id, None) is None:
            return None
        return Frame(Result(id, value), tensors or {})

    def fail(self, id: int, error: AccelerateError) -> Frame | None:  # noqa: A002 - the wire's word
        """Refuse a request of theirs; None where it isn't open."""
        if self._owed.pop(id, None) is None:
            return None
        text = str(error).encode(errors="replace").decode()
        return Frame(Error(id, error.code, text, _writable(error.details)))

    def notify(self, message: Beat | Goodbye) -> Frame:
        """Say what wants no answer. After a goodbye the session is closed."""
        self._check_open(message)
        if isinstance(message, Goodbye):
            self._close()
        return Frame(message)

    def cancel(self, id: int) -> Frame | None:  # noqa: A002 - the wire's word
        """Forget a request of ours, and give what tells the other side; None where it isn't open.

        No event follows: who cancels tells its own caller. A request whose pieces are still
        going out is given up by their `abort` instead, since a cancel would overtake it.
        """
        if self.state != "open" or id not in self._open:
            return None
        self._open.remove(id)
        self._cancelled.add(id)
        return Frame(Cancel(id))

    def pieces(self, frame: Frame) -> Outgoing:
        """Give the frame as the bytes to send, split under the limits that both sides set.

        A frame that can't be sent is refused here, before its first byte, and the session then
        stands as if the frame had never been made.
        """
        try:
            made = chunks(frame)
            total = sum(map(len, made))
            self._check_size(total, frame.message)
            if total > self._max_frame_bytes:
                self._last_stream += 1
            return Outgoing(
                made,
                total,
                max_frame_bytes=self._max_frame_bytes,
                number=self._last_stream,
                streams=self._outgoing,
                withdraw=partial(self._withdraw, frame.message),
            )
        except ProtocolError:
            self._withdraw(frame.message)
            raise

    def receive(self, data: Buffer) -> list[Event]:
        """Take one message of the socket. After a ProtocolError the session is closed."""
        if self.state == "closed":
            return []
        try:
            self._check_arrived(len(data))
            return self._handle(decode(data))
        except ProtocolError:
            self._close()
            raise

    def lost(self) -> list[Event]:
        """Close the session and refuse every open request of ours."""
        self._close()
        refused: list[Event] = [Refused(id_, _connection_lost(id_)) for id_ in sorted(self._open)]
        self._open.clear()
        return refused

    def _handle(self, frame: Frame) -> list[Event]:
        kind = type(frame.message)
        if kind not in TAKES[self.state]:
            raise ProtocolError(
                f"A {type_name(frame.message)} came while the session was {self.state}.",
                code="out_of_order",
                hint="Both sides say hello first, and once.",
            )
        return self._handlers[kind](frame, frame.message)

    def _on_hello(self, _frame: Frame, hello: Hello) -> list[Event]:
        if self.peer is not None:
            raise ProtocolError("A second hello came.", code="out_of_order")
        if hello.version != self.hello.version:
            raise ProtocolError(
                f"The other side speaks version {hello.version}, this side {self.hello.version}.",
                code="version_mismatch",
                hint="Install the same version on both sides; reload a page that is older.",
            )
        self.peer = hello
        limits = hello.limits
        self._max_frame_bytes = min(self._max_frame_bytes, limits.max_frame_bytes)
        self._max_message_bytes = min(self._max_message_bytes, limits.max_message_bytes)
        self._max_arriving_bytes = min(self._max_frame_bytes, self._max_message_bytes)
        self._open_if_both()
        return [Opened(hello)]

    def _on_request(self, frame: Frame, message: Request) -> list[Event]:
        if not self._ids_seen.take(message.id):
            raise ProtocolError(f"The id {message.id} was used before.", code="out_of_order")
        self._owed[message.id] = False
        return [Asked(message.id, message, frame.tensors)]

    def _on_cancel(self, _frame: Frame, message: Cancel) -> list[Event]:
        if self._owed.get(message.id, True):
            return []
        self._owed[message.id] = True
        return [CancelAsked(message.id)]

    def _on_progress(self, _frame: Frame, message: Progress) -> list[Event]:
        if message.id in self._open:
            return [Progressed(message.id, message.stage, message.done, message.total)]
        self.late_replies += message.id not in self._cancelled
        return []

    def _on_result(self, frame: Frame, message: Result) -> list[Event]:
        is_wanted = self._settle(message.id)
        return [Answered(message.id, message.value, frame.tensors)] if is_wanted else []

    def _on_error(self, _frame: Frame, message: Error) -> list[Event]:
        hint = HINTS.get(message.code)
        error = from_code(message.code, message.message, dict(message.details), hint)
        return [Refused(message.id, error)] if self._settle(message.id) else []

    def _on_beat(self, _frame: Frame, message: Beat) -> list[Event]:
        return [Beaten(message)]

    def _on_goodbye(self, _frame: Frame, message: Goodbye) -> list[Event]:
        return [*self.lost(), Ended(message.reason)]

    def _on_part(self, frame: Frame, message: Part) -> list[Event]:
        whole = self._incoming.add(message, frame.tensors, self._max_message_bytes)
        if whole is None:
            return []
        inner = decode(whole)
        if isinstance(inner.message, Part):
            raise ProtocolError("A frame made of parts is itself a part.")
        return self._handle(inner)

    def _on_abort(self, _frame: Frame, message: Abort) -> list[Event]:
        self._incoming.abort(message.stream)
        return []

    def _settle(self, id_: int) -> bool:
        """Close a request of ours, and say whether somebody still waits for it."""
        if id_ in self._open:
            self._open.remove(id_)
            return True
        self.late_replies += id_ not in self._cancelled
        self._cancelled.discard(id_)
        return False

    def _withdraw(self, message: Message) -> None:
        if isinstance(message, Request):
            self._open.discard(message.id)
            self._cancelled.discard(message.id)
        elif isinstance(message, Result | Error) and self.state == "open":
            self._owed.setdefault(message.id, False)

    def _open_if_both(self) -> None:
        if self._is_started and self.peer is not None:
            self.state = "open"

    def _check_open(self, message: Message) -> None:
        if self.state == "opening":
            raise ProtocolError(
                f"A {type_name(message)} can't be sent before both sides said hello.",
                code="out_of_order",
                hint="Wait for Opened.",
            )
        if self.state == "closed":
            raise TransportError(
                f"A {type_name(message)} can't be sent: the channel is closed.",
                hint="Send it over another one.",
            )

    def _check_arrived(self, size: int) -> None:
        limit = self._max_arriving_bytes
        if size > limit:
            raise ProtocolError(
                f"A frame of {size} bytes came; at most {limit} were agreed.", code="too_large"
            )

    def _check_size(self, total: int, message: Message) -> None:
        limit = self._max_message_bytes
        if isinstance(message, Hello):
            limit = min(limit, self._max_frame_bytes)
        if total > limit:
            raise ProtocolError(
                f"The {type_name(message)} takes {total} bytes; at most {limit} were agreed.",
                code="too_large",
                hint="Send it as several requests, or raise max_message_bytes on both sides.",
            )

    def _close(self) -> None:
        self.state = "closed"
        self._cancelled.clear()
        self._owed.clear()
        self._incoming.clear()


def _connection_lost(id_: int) -> TransportError:
    return TransportError(
        f"The connection ended before request {id_} was answered.",
        hint="Ask again: another worker, or the same one when it is back.",
    )


def _writable(details: dict[str, Any]) -> dict[str, Any]:
    """Give details that surely can be sent: a refusal must not fail for what it tells."""
    try:
        strict_json.dumps(details)
    except ProtocolError:
        return {"described": ascii(details)[:1000]}
    return details
