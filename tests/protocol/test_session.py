from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ipfs_accelerate.errors import (
    HINTS,
    AccelerateError,
    InferenceError,
    ProtocolError,
    TransportError,
    from_code,
)
from ipfs_accelerate.protocol.codec import Frame, Tensor, decode, encode
from ipfs_accelerate.protocol.events import (
    Answered,
    Asked,
    Beaten,
    CancelAsked,
    Ended,
    Opened,
    Progressed,
    Refused,
)
from ipfs_accelerate.protocol.messages import (
    VERSION,
    Abort,
    Beat,
    Error,
    Goodbye,
    Hello,
    Limits,
    Part,
    Ping,
    Put,
    Result,
    type_name,
)
from ipfs_accelerate.protocol.session import REQUESTS, TAKES, Session

LONG = {"data": Tensor("U8", (3000,), bytes(3000))}
HUGE = {"data": Tensor("U8", (9000,), bytes(9000))}


def hello(role: Any, version: int = VERSION) -> Hello:
    return Hello(version, role, "test", Limits(1024, 8192))


def give(sender: Session, frame: Frame | None, receiver: Session) -> list[Any]:
    assert frame is not None
    events: list[Any] = []
    for piece in sender.pieces(frame):
        events += receiver.receive(b"".join(piece))
    return events


def pair() -> tuple[Session, Session]:
    host, peer = Session(hello("host")), Session(hello("engine"))
    first, second = host.start(), peer.start()
    assert give(host, first, peer) == [Opened(host.hello)]
    assert give(peer, second, host) == [Opened(peer.hello)]
    assert (host.state, peer.state, host.peer) == ("open", "open", peer.hello)
    return host, peer


def refuses(session: Session, frame: Frame, code: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        session.receive(encode(frame))
    assert caught.value.code == code
    assert session.state == "closed"


def test_a_request_and_its_answer():
    host, peer = pair()
    frame = host.request(Put(3), LONG)
    assert frame.message == Put(3, id=1)
    assert host.open_requests == {1}
    assert give(host, frame, peer) == [Asked(1, Put(3, id=1), LONG)]
    assert peer.owed_requests == {1}
    assert give(peer, peer.progress(1, "copy", 1, 2), host) == [Progressed(1, "copy", 1, 2)]
    assert give(peer, peer.answer(1, {"a": 1}, LONG), host) == [Answered(1, {"a": 1}, LONG)]
    assert (host.open_requests, peer.owed_requests) == (frozenset(), frozenset())
    assert peer.answer(1, {}) is None
    assert peer.progress(1, "copy", 2, 2) is None


def test_a_refusal_keeps_its_class_code_and_hint():
    host, peer = pair()
    give(host, host.request(Ping()), peer)
    error = InferenceError("No x.", code="input_missing", hint="Give x.", details={"name": "x"})
    (event,) = give(peer, peer.fail(1, error), host)
    assert isinstance(event, Refused)
    assert isinstance(event.error, InferenceError)
    assert event.error.code == "input_missing"
    assert event.error.message == "No x. Give x."
    assert event.error.details == {"name": "x"}
    assert peer.fail(1, error) is None


@pytest.mark.parametrize("code", HINTS)
def test_what_an_engine_refuses_says_what_to_do_next(code):
    host, peer = pair()
    give(host, host.request(Ping()), peer)
    (event,) = give(peer, peer.fail(1, from_code(code, "No.")), host)
    assert (event.error.message, event.error.hint) == ("No.", HINTS[code])


def test_a_refusal_never_fails_for_what_it_tells():
    host, peer = pair()
    give(host, host.request(Ping()), peer)
    error = AccelerateError("\ud800", details={"cause": ValueError("x"), "size": 2**60})
    (event,) = give(peer, peer.fail(1, error), host)
    assert event.error.message == "?"
    assert "ValueError('x')" in event.error.details["described"]


def test_a_cancel_is_told_once_and_its_answer_dropped():
    host, peer = pair()
    give(host, host.request(Ping()), peer)
    frame = host.cancel(1)
    assert not host.open_requests
    assert host.cancelled_requests == {1}
    assert host.cancel(1) is None
    assert give(host, frame, peer) == [CancelAsked(1)]
    assert give(host, frame, peer) == []
    assert give(peer, peer.progress(1, "s", 0, 1), host) == []
    assert give(peer, peer.answer(1, {}), host) == []
    assert (host.late_replies, host.cancelled_requests) == (0, frozenset())
    assert give(host, frame, peer) == []


def test_late_replies_are_counted():
    host, peer = pair()
    for frame in (Frame(Result(1, {})), Frame(Error(1, "timeout", "", {}))):
        assert give(peer, frame, host) == []
    assert host.late_replies == 2
    assert "late" not in repr(host)


def test_a_beat_and_a_goodbye():
    host, peer = pair()
    beat = Beat("busy", 1, 0.5)
    assert give(peer, peer.notify(beat), host) == [Beaten(beat)]
    host.request(Ping())
    refused, ended = give(peer, peer.notify(Goodbye("done")), host)
    assert isinstance(refused.error, TransportError)
    assert ended == Ended("done")
    assert (host.state, peer.state) == ("closed", "closed")
    with pytest.raises(TransportError, match="the channel is closed"):
        peer.notify(beat)


def test_a_lost_connection_leaves_nothing():
    host, peer = pair()
    give(host, host.request(Ping()), peer)
    host.request(Ping())
    host.cancel(2)
    long = host.pieces(host.request(Put(1), LONG))
    peer.receive(b"".join(next(long)))
    (first, third) = host.lost()
    assert isinstance(first, Refused)
    assert isinstance(third, Refused)
    assert (first.id, third.id, first.error.code) == (1, 3, "connection_lost")
    assert first.error.retryable
    peer.lost()
    assert (host.lost(), peer.lost(), len(peer._incoming)) == ([], [], 0)
    assert repr(peer) == "<Session engine closed, open [], cancelled [], owed []>"
    assert peer.receive(b"anything") == []
    assert host.cancel(1) is None
    with pytest.raises(TransportError):
        host.request(Ping())


def test_nothing_is_said_before_both_hellos():
    session = Session(hello("host"))
    with pytest.raises(ProtocolError, match="Wait for Opened") as caught:
        session.request(Ping())
    assert caught.value.code == "out_of_order"
    session.start()
    with pytest.raises(ProtocolError, match="said before"):
        session.start()
    refuses(session, Frame(Ping(id=1)), "out_of_order")


def test_a_second_hello_is_out_of_order():
    session = Session(hello("host"))
    session.receive(encode(Frame(hello("page"))))
    assert session.state == "opening"
    refuses(session, Frame(hello("page")), "out_of_order")


def test_versions_are_equal():
    session = Session(hello("host"))
    session.start()
    with pytest.raises(ProtocolError, match="version 2, this side 1") as caught:
        session.receive(encode(Frame(hello("page", version=2))))
    assert caught.value.code == "version_mismatch"


def test_an_id_is_used_once():
    _, peer = pair()
    peer.receive(encode(Frame(Ping(id=4))))
    refuses(peer, Frame(Ping(id=4)), "out_of_order")


def test_what_is_too_large_is_refused_before_its_first_byte():
    host, peer = pair()
    with pytest.raises(ProtocolError, match="at most 8192 were agreed") as caught:
        host.pieces(host.request(Put(1), HUGE))
    assert caught.value.code == "too_large"
    assert host.open_requests == frozenset()
    give(host, host.request(Ping()), peer)
    with pytest.raises(ProtocolError, match="The result takes"):
        peer.pieces(peer.answer(2, {}, HUGE) or Frame(Ping()))
    assert peer.owed_requests == {2}
    refuses(peer, Frame(Put(1, id=9), LONG), "too_large")


def test_a_hello_is_never_split():
    session = Session(Hello(VERSION, "host", "x" * 2000, Limits(1024, 8192)))
    with pytest.raises(ProtocolError, match="at most 1024"):
        session.pieces(session.start())


def test_an_aborted_request_was_never_made():
    host, peer = pair()
    outgoing = host.pieces(host.request(Put(1), LONG))
    assert peer.receive(b"".join(next(outgoing))) == []
    said = outgoing.abort()
    assert said is not None
    assert peer.receive(said) == []
    assert (len(peer._incoming), host.open_requests) == (0, frozenset())
    assert peer.receive(encode(Frame(Abort(1)))) == []


def test_a_request_cancelled_and_then_aborted_is_forgotten():
    host, _ = pair()
    outgoing = host.pieces(host.request(Put(1), LONG))
    next(outgoing)
    host.cancel(1)
    outgoing.abort()
    assert repr(host) == "<Session host open, open [], cancelled [], owed []>"


def test_an_aborted_answer_is_still_owed():
    host, peer = pair()
    give(host, host.request(Ping()), peer)
    outgoing = peer.pieces(peer.answer(1, {}, LONG) or Frame(Ping()))
    next(outgoing)
    outgoing.abort()
    assert peer.owed_requests == {1}
    peer.lost()
    outgoing = peer.pieces(Frame(Result(1, {})))
    outgoing.abort()
    assert peer.owed_requests == frozenset()


def test_a_notice_that_is_aborted_changes_nothing():
    host, _ = pair()
    host.pieces(host.notify(Beat("idle"))).abort()
    assert host.state == "open"


def test_a_frame_made_of_parts_is_not_a_part():
    _, peer = pair()
    inner = encode(Frame(Part(2, 0, 9), {"part": Tensor("U8", (1,), b"x")}))
    refuses(
        peer,
        Frame(Part(1, 0, len(inner)), {"part": Tensor("U8", (len(inner),), inner)}),
        "bad_frame",
    )


def test_the_limits_of_both_sides_bind():
    session = Session(Hello(VERSION, "host", "test", Limits(5000, 6000)))
    session.start()
    session.receive(encode(Frame(Hello(VERSION, "page", "test", Limits(2000, 9000)))))
    made = [b"".join(one) for one in session.pieces(session.request(Put(1), LONG))]
    assert len(made) == 2
    assert all(isinstance(decode(one).message, Part) for one in made)
    refuses(session, Frame(Put(1, id=1), LONG), "too_large")


def test_the_states_are_those_of_the_specification():
    text = (Path(__file__).parents[2] / "spec" / "PROTOCOL.md").read_text("utf-8")
    rows = re.findall(r"^\| (opening|open|closed) \| ([^|]*) \|", text, re.MULTILINE)
    every = frozenset().union(*TAKES.values())
    assert dict(rows)["opening"] == "hello"
    assert {type_name_of(kind) for kind in TAKES["opening"]} == {"hello"}
    assert dict(rows)["open"] == "all but hello"
    assert TAKES["open"] == every - {Hello}
    assert dict(rows)["closed"].startswith("nothing")
    assert TAKES["closed"] == frozenset()
    assert len(REQUESTS) == 10
    assert type_name(Ping()) == "ping"


def type_name_of(kind: type) -> str:
    return kind.__name__.lower()
