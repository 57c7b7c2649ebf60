"""Frames in parts, and frames over the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.vectors.packing import pack, tensor
from tools.vectors.steps import (
    HELLO,
    HUGE,
    LONG,
    PEER,
    PING,
    asked,
    do,
    event,
    got,
    part,
    parts,
    ping,
    result,
    scenario,
    sent,
)

if TYPE_CHECKING:
    from tools.vectors.packing import Json


def scenarios() -> list[Json]:
    """Give the scenarios."""
    put = {"type": "put", "handle": 1}
    first = pack(put | {"id": 1}, LONG)
    second = pack({"type": "get", "id": 2, "handle": 1})
    abort = {"type": "abort", "stream": 1}
    took: Json = {"code": "run_failed", "message": "Too long.", "details": {}}
    return [
        scenario(
            "split_sent",
            "a frame above the limit goes in parts",
            do("request", message=put, tensors=LONG, split=True, **sent(put | {"id": 1}, LONG)),
            ping(2, [1, 2]),
            asked(PING | {"id": 1}),
            do("answer", id=1, value={}, tensors=LONG, split=True, **sent(result(1), LONG)),
        ),
        scenario(
            "split_received",
            "parts make a frame",
            parts(
                1, first, 700, events=[event("asked", id=1, message=put | {"id": 1}, tensors=LONG)]
            ),
            parts(
                7,
                second,
                1,
                events=[event("asked", id=2, message={"type": "get", "id": 2, "handle": 1})],
            ),
            do("answer", id=1, value={}, **sent(result(1))),
        ),
        scenario(
            "split_interleaved",
            "parts of two streams and whole frames between them",
            part(3, 0, len(first), first[:800]),
            part(2, 0, len(second), second[:50]),
            asked(PING | {"id": 3}),
            part(3, 800, len(first), first[800:1600]),
            part(
                2,
                50,
                len(second),
                second[50:],
                events=[event("asked", id=2, message={"type": "get", "id": 2, "handle": 1})],
            ),
            part(3, 1600, len(first), first[1600:2400]),
            part(
                3,
                2400,
                len(first),
                first[2400:],
                events=[event("asked", id=1, message=put | {"id": 1}, tensors=LONG)],
            ),
        ),
        scenario(
            "abort_received",
            "an aborted stream is forgotten, and its request was never made",
            part(1, 0, len(first), first[:800]),
            got(abort),
            got(abort),
            got(abort | {"stream": 5}),
            parts(
                2, first, 800, events=[event("asked", id=1, message=put | {"id": 1}, tensors=LONG)]
            ),
            part(1, 800, len(first), first[800:1600], error="out_of_order", state="closed"),
        ),
        scenario(
            "abort_sent",
            "what was aborted was never said",
            do("request", message=put, tensors=LONG, abort_after=1, aborted=True, open_requests=[]),
            do("request", message=put, tensors=LONG, abort_after=0, open_requests=[]),
            do("request", message=PING, abort_after=0, open_requests=[]),
            do("cancel", id=1),
            ping(4, [4]),
            asked(PING | {"id": 1}),
            do("answer", id=1, value={}, tensors=LONG, abort_after=2, aborted=True),
            do("fail", id=1, refusal=took, **sent({"type": "error", "id": 1} | took)),
            do("fail", id=1, refusal=took),
        ),
        scenario(
            "too_large_sent",
            "what is over the limit is refused before its first byte, and leaves no trace",
            do(
                "request",
                message=put,
                tensors=HUGE,
                error="too_large",
                state="open",
                open_requests=[],
            ),
            ping(2, [2]),
            asked(PING | {"id": 1}),
            do("answer", id=1, value={}, tensors=HUGE, error="too_large", state="open"),
            do("fail", id=1, refusal=took, **sent({"type": "error", "id": 1} | took)),
        ),
        scenario(
            "too_large_frame",
            "a frame above the limit is not taken",
            ping(1),
            got(put | {"id": 1}, LONG, error="too_large", state="closed", open_requests=[1]),
            do("lost", events=[event("refused", id=1, code="connection_lost")]),
        ),
        scenario(
            "too_large_hello",
            "our own limit binds before the other side's is known",
            do("start", **sent(HELLO)),
            got(PEER | {"agent": "x" * 1100}, error="too_large", state="closed"),
            opened=False,
        ),
        scenario(
            "too_large_total",
            "a stream's length is checked at its first part",
            part(1, 0, 4097, b"x", error="too_large", state="closed"),
        ),
        scenario(
            "too_many_streams",
            "eight streams may be open",
            [part(number, 0, 100, b"x") for number in range(1, 9)],
            got({"type": "abort", "stream": 4}),
            part(9, 0, 100, b"x", state="open"),
            part(10, 0, 100, b"x", error="too_large", state="closed"),
        ),
        scenario(
            "stream_twice",
            "a stream's number is used once",
            parts(
                1,
                second,
                50,
                events=[event("asked", id=2, message={"type": "get", "id": 2, "handle": 1})],
            ),
            part(1, 0, 100, b"x", error="out_of_order", state="closed"),
        ),
        scenario(
            "part_gap",
            "offsets have no gap",
            part(1, 0, 100, b"xxxx"),
            part(1, 5, 100, b"x", error="out_of_order", state="closed"),
        ),
        scenario(
            "part_again",
            "offsets do not go back",
            part(1, 0, 100, b"xxxx"),
            part(1, 0, 100, b"xxxx", error="out_of_order", state="closed"),
        ),
        scenario(
            "part_late_start",
            "offsets count from 0",
            part(1, 4, 100, b"x", error="out_of_order", state="closed"),
        ),
        scenario(
            "part_over",
            "a part does not go past its total",
            part(1, 0, 4, b"xxxxx", error="bad_frame", state="closed"),
        ),
        scenario(
            "part_total_changes",
            "all parts of a stream have the same total",
            part(1, 0, 100, b"xxxx"),
            part(1, 4, 101, b"x", error="bad_frame", state="closed"),
        ),
        scenario(
            "part_empty",
            "no part is empty",
            part(1, 0, 100, b"", error="bad_frame", state="closed"),
        ),
        scenario(
            "part_without_tensor",
            "a part has one tensor",
            got(
                {"type": "part", "stream": 1, "offset": 0, "total": 9},
                error="bad_frame",
                state="closed",
            ),
        ),
        scenario(
            "part_of_another_dtype",
            "a part's tensor is U8",
            got(
                {"type": "part", "stream": 1, "offset": 0, "total": 9},
                {"part": tensor("I8", [1], b"x")},
                error="bad_frame",
                state="closed",
            ),
        ),
        scenario(
            "part_with_another_tensor",
            "a part has no second tensor",
            got(
                {"type": "part", "stream": 1, "offset": 0, "total": 9},
                {"part": tensor("U8", [1], b"x"), "more": tensor("U8", [1], b"x")},
                error="bad_frame",
                state="closed",
            ),
        ),
        scenario(
            "part_in_parts",
            "a frame made of parts is not itself a part",
            parts(
                1,
                pack(
                    {"type": "part", "stream": 2, "offset": 0, "total": 9},
                    {"part": tensor("U8", [1], b"x")},
                ),
                100,
                error="bad_frame",
                state="closed",
            ),
        ),
        scenario(
            "hello_in_parts",
            "what is made of parts has no other rules",
            parts(1, pack(PEER), 100, error="out_of_order", state="closed"),
        ),
        scenario(
            "part_before_hello",
            "hello is never split",
            do("start", **sent(HELLO)),
            part(1, 0, 100, b"x", error="out_of_order", state="closed"),
            opened=False,
        ),
        scenario(
            "parts_of_nothing",
            "what parts make must be a frame",
            parts(1, b"\x00" * 20, 10, error="bad_frame", state="closed"),
        ),
    ]
