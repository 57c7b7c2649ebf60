"""Two sessions over a connection that delays, reorders answers and may be lost.

Each request ends exactly once, and nothing is left in any table when all is done.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ipfs_accelerate.errors import PoolError, ProtocolError, TransportError
from ipfs_accelerate.protocol.codec import Frame, Tensor
from ipfs_accelerate.protocol.events import Answered, Asked, CancelAsked, Progressed, Refused
from ipfs_accelerate.protocol.messages import VERSION, Hello, Limits, Put
from ipfs_accelerate.protocol.session import Session
from ipfs_accelerate.protocol.streams import MAX_STREAMS

if TYPE_CHECKING:
    from ipfs_accelerate.protocol.outgoing import Outgoing

SIZES = st.sampled_from([0, 1, 900, 2500, 5000])
SIDES = st.integers(0, 1)
TOO_LARGE = 20_000


class Side:
    """A session, what it has under way, and what became of each request that it made."""

    def __init__(self, role: Any) -> None:
        self.session = Session(Hello(VERSION, role, "test", Limits(1024, 8192)))
        self.sending: list[tuple[Frame, Outgoing]] = []
        self.inbox: deque[bytes] = deque()
        self.asked: set[int] = set()
        self.cancel_asked: Counter[int] = Counter()
        self.made: set[int] = set()
        self.ends: Counter[int] = Counter()
        self.given_up: set[int] = set()

    def take(self, events: list[Any]) -> None:
        for event in events:
            match event:
                case Asked():
                    assert event.id not in self.asked
                    self.asked.add(event.id)
                case CancelAsked():
                    self.cancel_asked[event.id] += 1
                case Answered() | Refused():
                    assert event.id not in self.given_up
                    self.ends[event.id] += 1
                case Progressed():
                    assert event.id not in self.ends


class TwoSessions(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.sides = [Side("host"), Side("engine")]
        self.is_lost = False

    @initialize()
    def say_hello(self) -> None:
        for number in (0, 1):
            self.send(number, self.sides[number].session.start())
        self.deliver_all()

    def send(self, number: int, frame: Frame | None) -> None:
        if frame is not None:
            side = self.sides[number]
            side.sending.append((frame, side.session.pieces(frame)))

    def advance(self, number: int, index: int) -> None:
        side = self.sides[number]
        piece = next(side.sending[index][1], None)
        if piece is None:
            del side.sending[index]
        else:
            self.sides[1 - number].inbox.append(b"".join(piece))

    def deliver(self, number: int) -> None:
        side = self.sides[number]
        side.take(side.session.receive(side.inbox.popleft()))

    def deliver_all(self) -> None:
        while any(side.sending or side.inbox for side in self.sides):
            for number, side in enumerate(self.sides):
                if side.sending:
                    self.advance(number, 0)
                if side.inbox:
                    self.deliver(number)

    is_open = precondition(lambda self: not self.is_lost)

    @is_open
    @rule(number=SIDES, size=SIZES)
    def ask(self, number: int, size: int) -> None:
        if sum(one.is_split for _, one in self.sides[number].sending) == MAX_STREAMS:
            return
        tensors = {"data": Tensor("U8", (size,), bytes(size))}
        frame = self.sides[number].session.request(Put(1), tensors)
        assert isinstance(frame.message, Put)
        self.sides[number].made.add(frame.message.id)
        self.send(number, frame)

    @is_open
    @rule(number=SIDES)
    def ask_too_much(self, number: int) -> None:
        session = self.sides[number].session
        before = session.open_requests
        frame = session.request(Put(1), {"data": Tensor("U8", (TOO_LARGE,), bytes(TOO_LARGE))})
        with pytest.raises(ProtocolError):
            session.pieces(frame)
        assert session.open_requests == before

    @is_open
    @rule(number=SIDES, data=st.data())
    def send_a_piece(self, number: int, data: Any) -> None:
        if self.sides[number].sending:
            last = len(self.sides[number].sending) - 1
            self.advance(number, data.draw(st.integers(0, last)))

    @is_open
    @rule(number=SIDES, count=st.integers(1, 5))
    def receive(self, number: int, count: int) -> None:
        for _ in range(min(count, len(self.sides[number].inbox))):
            self.deliver(number)

    @is_open
    @rule(number=SIDES, size=SIZES, data=st.data())
    def answer(self, number: int, size: int, data: Any) -> None:
        side = self.sides[number]
        splits = sum(one.is_split for _, one in side.sending)
        if side.session.owed_requests and splits < MAX_STREAMS:
            id_ = data.draw(st.sampled_from(sorted(side.session.owed_requests)))
            tensors = {"data": Tensor("U8", (size,), bytes(size))}
            self.send(number, side.session.answer(id_, {}, tensors))
            assert side.session.answer(id_, {}) is None

    @is_open
    @rule(number=SIDES, data=st.data())
    def fail(self, number: int, data: Any) -> None:
        session = self.sides[number].session
        if session.owed_requests:
            id_ = data.draw(st.sampled_from(sorted(session.owed_requests)))
            self.send(number, session.progress(id_, "stage", 1, 2))
            # A shell sends it before it makes the answer; only what is split can be overtaken.
            self.advance(number, len(self.sides[number].sending) - 1)
            self.send(number, session.fail(id_, PoolError("No.", code="cancelled")))

    @is_open
    @rule(number=SIDES, data=st.data())
    def cancel(self, number: int, data: Any) -> None:
        side = self.sides[number]
        if side.session.open_requests:
            id_ = data.draw(st.sampled_from(sorted(side.session.open_requests)))
            side.given_up.add(id_)
            self.send(number, side.session.cancel(id_))
            assert side.session.cancel(id_) is None

    @is_open
    @rule(number=SIDES, data=st.data())
    def abort(self, number: int, data: Any) -> None:
        side = self.sides[number]
        if side.sending:
            index = data.draw(st.integers(0, len(side.sending) - 1))
            frame, outgoing = side.sending[index]
            if isinstance(frame.message, Put):
                del side.sending[index]
                said = outgoing.abort()
                if said is not None:
                    self.sides[1 - number].inbox.append(said)
                if frame.message.id not in side.session.open_requests:
                    side.given_up.add(frame.message.id)

    @is_open
    @rule(number=SIDES, received=st.integers(0, 3))
    def lose(self, number: int, received: int) -> None:
        self.receive(number, received)
        self.is_lost = True
        for side in self.sides:
            side.take(side.session.lost())
            side.sending.clear()
            side.inbox.clear()

    @precondition(lambda self: self.is_lost)
    @rule(number=SIDES, id_=st.integers(1, 5))
    def go_on(self, number: int, id_: int) -> None:
        session = self.sides[number].session
        assert session.cancel(id_) is None
        assert session.answer(id_, {}) is None
        assert session.lost() == []
        with pytest.raises(TransportError):
            session.request(Put(1))

    @invariant()
    def no_request_ends_twice(self) -> None:
        for side in self.sides:
            assert all(count == 1 for count in side.ends.values())
            assert all(count == 1 for count in side.cancel_asked.values())
            assert side.session.open_requests == side.made - side.ends.keys() - side.given_up

    def teardown(self) -> None:
        if not self.is_lost:
            self.settle()
        for side in self.sides:
            session = side.session
            assert side.ends.keys() | side.given_up == side.made
            assert not side.ends.keys() & side.given_up or self.is_lost
            assert repr(session).endswith("open [], cancelled [], owed []>")
            assert len(session._incoming) == 0
            assert not session._outgoing or self.is_lost
            assert session.late_replies == 0
            assert session.state == ("closed" if self.is_lost else "open")

    def settle(self) -> None:
        self.deliver_all()
        while any(side.session.owed_requests for side in self.sides):
            for number, side in enumerate(self.sides):
                for id_ in sorted(side.session.owed_requests):
                    self.send(number, side.session.answer(id_, {}))
            self.deliver_all()


TestTwoSessions = TwoSessions.TestCase
TestTwoSessions.settings = settings(max_examples=100, stateful_step_count=50, deadline=None)
