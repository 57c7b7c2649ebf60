"""Scenarios: what is done to one session, and what must come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.vectors.packing import pack, tensor

if TYPE_CHECKING:
    from tools.vectors.packing import Json


def _hello(role: str, frame: int, message: int, version: int = 1) -> Json:
    limits = {"max_frame_bytes": frame, "max_message_bytes": message}
    return {
        "type": "hello",
        "version": version,
        "role": role,
        "agent": f"vector {role}",
        "limits": limits,
    }


# Agreed: frames of 1024 bytes, messages of 4096.
HELLO = _hello("host", 1024, 8192)
PEER = _hello("engine", 2048, 4096)
PING = {"type": "ping"}
SMALL = {"x": tensor("F32", [2], bytes(range(8)))}
LONG = {"data": tensor("U8", [3000], bytes(index % 251 for index in range(3000)))}
HUGE = {"data": tensor("U8", [4096], bytes(4096))}


def do(stimulus: str, **keys: Any) -> Json:
    """Give one step."""
    return {"do": stimulus} | keys


def got(message: Json, tensors: Json | None = None, **expected: Any) -> Json:
    """Give the step in which a frame arrives."""
    return do("receive", message=message, **({"tensors": tensors} if tensors else {}), **expected)


def sent(message: Json, tensors: Json | None = None) -> Json:
    """Give what a step sends."""
    return {"sends": [{"message": message} | ({"tensors": tensors} if tensors else {})]}


def event(name: str, **keys: Any) -> Json:
    """Give one event."""
    return {"event": name} | keys


def asked(message: Json, tensors: Json | None = None) -> Json:
    """Give the step in which a request of theirs arrives."""
    extra = {"tensors": tensors} if tensors else {}
    return got(
        message, tensors, events=[event("asked", id=message["id"], message=message, **extra)]
    )


def ping(number: int, open_requests: list[int] | None = None) -> Json:
    """Give the step in which we ask for a ping."""
    opened = {} if open_requests is None else {"open_requests": open_requests}
    return do("request", message=PING, **sent(PING | {"id": number}), **opened)


def result(number: int, value: Json | None = None) -> Json:
    """Give a result."""
    return {"type": "result", "id": number, "value": value or {}}


def error(number: int, code: str, message: str = "No.", details: Json | None = None) -> Json:
    """Give an error."""
    return {
        "type": "error",
        "id": number,
        "code": code,
        "message": message,
        "details": details or {},
    }


def part(stream: int, offset: int, total: int, data: bytes, **expected: Any) -> Json:
    """Give the step in which a part arrives."""
    message = {"type": "part", "stream": stream, "offset": offset, "total": total}
    return got(message, {"part": tensor("U8", [len(data)], data)}, **expected)


def parts(stream: int, frame: bytes, size: int, **expected: Any) -> list[Json]:
    """Give the steps in which a frame arrives in parts; the last has what is expected."""
    steps = [
        part(stream, offset, len(frame), frame[offset : offset + size])
        for offset in range(0, len(frame), size)
    ]
    steps[-1] |= expected
    return steps


def scenario(name: str, about: str, *steps: Json | list[Json], opened: bool = True) -> Json:
    """Give a scenario, which begins with both hellos unless it is about them."""
    begin = [
        do("start", **sent(HELLO), state="opening"),
        got(PEER, events=[event("opened", hello=PEER)], state="open", open_requests=[]),
    ]
    flat = begin if opened else []
    for step in steps:
        flat = flat + (step if isinstance(step, list) else [step])
    return {"name": name, "about": about, "hello": HELLO, "steps": flat}


def _life() -> list[Json]:
    return [
        scenario(
            "hello_first",
            "both say hello, then a ping is asked and answered",
            ping(1, [1]),
            got(result(1), events=[event("answered", id=1, value={})], open_requests=[]),
            got(result(1), late_replies=1, state="open"),
        ),
        scenario(
            "hello_theirs_first",
            "their hello may come before ours was said",
            got(PEER, events=[event("opened", hello=PEER)], state="opening"),
            do("request", message=PING, error="out_of_order", state="opening"),
            do("start", **sent(HELLO), state="open"),
            ping(1, [1]),
            opened=False,
        ),
        scenario(
            "hello_not_yet_sent",
            "whoever has not got our hello can't have anything else to say",
            got(PEER, events=[event("opened", hello=PEER)]),
            got(PING | {"id": 1}, error="out_of_order", state="closed"),
            opened=False,
        ),
        scenario(
            "hello_twice_received",
            "a second hello is out of order",
            ping(1),
            got(PEER, error="out_of_order", state="closed", open_requests=[1]),
            opened=True,
        ),
        scenario(
            "hello_twice_before_start",
            "a second hello is out of order before ours too",
            got(PEER, events=[event("opened", hello=PEER)]),
            got(PEER, error="out_of_order", state="closed"),
            do("start", error="out_of_order"),
            opened=False,
        ),
        scenario(
            "hello_twice_sent",
            "hello is said once",
            do("start", error="out_of_order", state="open"),
            ping(1),
        ),
        scenario(
            "wrong_order",
            "nothing but hello is sent or taken before hello",
            do("request", message=PING, error="out_of_order", state="opening"),
            do("notify", message={"type": "beat", "engine": "idle"}, error="out_of_order"),
            do("cancel", id=1),
            do("answer", id=1, value={}),
            got(PING | {"id": 1}, error="out_of_order", state="closed"),
            do("request", message=PING, error="connection_lost"),
            got(PEER, state="closed"),
            opened=False,
        ),
        scenario(
            "version_mismatch",
            "both sides must speak the same version",
            do("start", **sent(HELLO)),
            got(_hello("engine", 2048, 4096, version=2), error="version_mismatch", state="closed"),
            opened=False,
        ),
        scenario(
            "goodbye_received",
            "a goodbye ends what was open",
            ping(1),
            ping(2),
            ping(3, [1, 2, 3]),
            asked(PING | {"id": 9}),
            do("cancel", id=2, **sent({"type": "cancel", "id": 2}), open_requests=[1, 3]),
            got(
                {"type": "goodbye", "reason": "going"},
                events=[
                    event("refused", id=1, code="connection_lost"),
                    event("refused", id=3, code="connection_lost"),
                    event("ended", reason="going"),
                ],
                state="closed",
                open_requests=[],
            ),
            do("answer", id=9, value={}),
            do("lost"),
        ),
        scenario(
            "goodbye_sent",
            "after a goodbye nothing is said, and what comes is dropped",
            ping(1),
            do(
                "notify",
                message={"type": "goodbye", "reason": "done"},
                **sent({"type": "goodbye", "reason": "done"}),
                state="closed",
                open_requests=[1],
            ),
            do("request", message=PING, error="connection_lost"),
            do("notify", message={"type": "beat", "engine": "idle"}, error="connection_lost"),
            do("cancel", id=1),
            got(result(1), late_replies=0),
            do("lost", events=[event("refused", id=1, code="connection_lost")], open_requests=[]),
        ),
        scenario(
            "lost",
            "a lost connection refuses every request that somebody waits for, once",
            ping(1),
            ping(2),
            asked(PING | {"id": 1}),
            do("cancel", id=1, **sent({"type": "cancel", "id": 1})),
            do(
                "lost",
                events=[event("refused", id=2, code="connection_lost")],
                state="closed",
                open_requests=[],
            ),
            do("lost", state="closed"),
            do("progress", id=1, stage="s", done=0, total=1),
            do("answer", id=1, value={}),
            do("fail", id=1, refusal={"code": "run_failed", "message": "No.", "details": {}}),
            do("cancel", id=2),
            do("request", message=PING, error="connection_lost"),
            got(result(2), late_replies=0),
        ),
        scenario(
            "lost_while_opening",
            "a connection may be lost before it is open",
            do("start", **sent(HELLO)),
            do("lost", state="closed"),
            do("start", error="out_of_order"),
            opened=False,
        ),
    ]


def _requests() -> list[Json]:
    graph = {"cid": "bafy", "size": 10}
    run = {
        "type": "run",
        "steps": [{"model": "m", "inputs": {"x": {"tensor": "x"}}}],
        "fetch": [{"step": 0, "output": "y", "as": "x"}],
        "keep": [],
    }
    load = {"type": "load", "model": "m", "platform": "wasm", "graph": graph, "weights": []}
    every: list[Json] = [
        load,
        {"type": "unload", "model": "m"},
        run,
        {"type": "put", "handle": 3},
        {"type": "get", "handle": 3},
        {"type": "drop", "handles": [3, 4]},
        PING,
        {"type": "restart", "reason": "it hangs"},
    ]
    carried = [SMALL if one["type"] in {"run", "put"} else None for one in every]
    given = [{"tensors": tensors} if tensors else {} for tensors in carried]
    progress: Json = {"type": "progress", "id": 1, "stage": "fetch", "done": 5, "total": 10}
    failed: Json = {"code": "model_not_loaded", "message": "There is no m.", "details": {"a": [1]}}
    return [
        scenario(
            "every_request_ours",
            "each kind of request, answered in another order",
            [
                do(
                    "request",
                    message=one,
                    **given[index],
                    **sent(one | {"id": index + 1}, carried[index]),
                )
                for index, one in enumerate(every)
            ],
            got(
                progress,
                events=[event("progressed", id=1, stage="fetch", done=5, total=10)],
                open_requests=[1, 2, 3, 4, 5, 6, 7, 8],
            ),
            got(
                result(3, {"steps": []}),
                SMALL,
                events=[event("answered", id=3, value={"steps": []}, tensors=SMALL)],
            ),
            got(
                error(1, "block_unavailable", "It is gone.", {"cid": "bafy"}),
                events=[
                    event(
                        "refused",
                        id=1,
                        code="block_unavailable",
                        message="It is gone.",
                        details={"cid": "bafy"},
                    )
                ],
            ),
            [
                got(result(number), events=[event("answered", id=number, value={})])
                for number in (8, 7, 6, 5, 4, 2)
            ],
            do("lost", open_requests=[], late_replies=0),
        ),
        scenario(
            "every_request_theirs",
            "each kind of request is asked, and owed one answer",
            [asked(one | {"id": index + 1}, carried[index]) for index, one in enumerate(every)],
            do("progress", id=1, stage="fetch", done=5, total=10, **sent(progress)),
            do(
                "answer",
                id=3,
                value={"a": 1.5},
                tensors=SMALL,
                **sent(result(3, {"a": 1.5}), SMALL),
            ),
            do("answer", id=3, value={}),
            do("progress", id=3, stage="late", done=1, total=1),
            do("fail", id=2, refusal=failed, **sent({"type": "error", "id": 2} | failed)),
            do("fail", id=2, refusal=failed),
            do("answer", id=99, value={}),
            do("answer", id=1, value={}, **sent(result(1)), open_requests=[], late_replies=0),
        ),
        scenario(
            "ids_of_two_sides",
            "the two sides' ids are separate spaces",
            ping(1),
            asked(PING | {"id": 1}),
            do("answer", id=1, value={}, **sent(result(1)), open_requests=[1]),
            got(result(1), events=[event("answered", id=1, value={})], open_requests=[]),
        ),
        scenario(
            "ids_in_any_order",
            "ids need not rise: a split request may arrive after a later one",
            [asked(PING | {"id": number}) for number in (5, 2, 9, 1, 3, 4, 2**53 - 1, 8)],
            got(PING | {"id": 3}, error="out_of_order", state="closed"),
        ),
        scenario(
            "id_twice",
            "an id is used once",
            asked(PING | {"id": 1}),
            got(PING | {"id": 1}, error="out_of_order", state="closed"),
        ),
        scenario(
            "id_twice_after_answer",
            "an id is used once, answered or not",
            asked(PING | {"id": 1}),
            do("answer", id=1, value={}, **sent(result(1))),
            got({"type": "unload", "id": 1, "model": "m"}, error="out_of_order", state="closed"),
        ),
        scenario(
            "late_replies",
            "replies to nothing are dropped and counted",
            got(result(1), late_replies=1, state="open"),
            got(error(2, "run_failed"), late_replies=2),
            got(progress | {"id": 3}, late_replies=3),
            ping(1, [1]),
            got(result(1), events=[event("answered", id=1, value={})], late_replies=3),
            got(error(1, "run_failed"), late_replies=4, state="open"),
        ),
        scenario(
            "unknown_code",
            "a code that is in no table is kept",
            ping(1),
            got(
                error(1, "tired", "Later."),
                events=[event("refused", id=1, code="tired", message="Later.", details={})],
            ),
        ),
        scenario(
            "beats",
            "a beat asks for nothing",
            do(
                "notify",
                message={"type": "beat", "engine": "idle"},
                **sent({"type": "beat", "engine": "idle"}),
            ),
            got(
                {"type": "beat", "engine": "busy", "request": 4, "busy_ms": 0.25},
                events=[
                    event(
                        "beaten",
                        beat={"type": "beat", "engine": "busy", "request": 4, "busy_ms": 0.25},
                    )
                ],
                late_replies=0,
            ),
        ),
    ]


def _cancels() -> list[Json]:
    cancel = {"type": "cancel", "id": 1}
    progress = {"type": "progress", "id": 1, "stage": "s", "done": 0, "total": 1}
    return [
        scenario(
            "cancel_then_refusal",
            "the answer to a cancelled request is dropped, and is not late",
            ping(1, [1]),
            do("cancel", id=1, **sent(cancel), open_requests=[]),
            do("cancel", id=1),
            got(progress, late_replies=0),
            got(error(1, "cancelled"), late_replies=0),
            got(error(1, "cancelled"), late_replies=1),
        ),
        scenario(
            "cancel_crosses_result",
            "a result that was first is dropped too",
            ping(1),
            do("cancel", id=1, **sent(cancel)),
            got(result(1), SMALL, late_replies=0, open_requests=[]),
            ping(2, [2]),
        ),
        scenario(
            "cancel_after_answer",
            "there is nothing to cancel",
            ping(1),
            got(result(1), events=[event("answered", id=1, value={})]),
            do("cancel", id=1),
            do("cancel", id=7),
        ),
        scenario(
            "cancel_asked",
            "a cancel is told once, while its request is open",
            got(cancel),
            asked(PING | {"id": 1}),
            got(cancel, events=[event("cancel_asked", id=1)]),
            got(cancel),
            do("progress", id=1, stage="s", done=0, total=1, **sent(progress)),
            do(
                "fail",
                id=1,
                refusal={"code": "cancelled", "message": "No.", "details": {}},
                **sent(error(1, "cancelled")),
            ),
            got(cancel),
            asked(PING | {"id": 2}),
            do("answer", id=2, value={}, **sent(result(2))),
            got(cancel | {"id": 2}, state="open", late_replies=0),
        ),
    ]


def _long() -> list[Json]:
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


def _bytes() -> list[Json]:
    nan = b'{"__metadata__":{"message":"{\\"type\\":\\"ping\\",\\"id\\":NaN}"}}'
    nan += b" " * (-len(nan) % 8)
    return [
        scenario(
            "bad_bytes",
            "bytes that are no frame close the session; what is open is refused by lost",
            ping(1),
            asked(PING | {"id": 1}),
            do("receive_bytes", hex="00ff", error="bad_frame", state="closed", open_requests=[1]),
            do("answer", id=1, value={}),
            do("receive_bytes", hex="00ff", state="closed"),
            do("lost", events=[event("refused", id=1, code="connection_lost")], open_requests=[]),
        ),
        scenario("no_bytes", "an empty message", do("receive_bytes", hex="", error="bad_frame")),
        scenario(
            "nan_in_json",
            "NaN is not JSON",
            do(
                "receive_bytes",
                hex=(len(nan).to_bytes(8, "little") + nan).hex(),
                error="bad_frame",
                state="closed",
            ),
        ),
        scenario(
            "unknown_type",
            "a type that is unknown",
            got({"type": "shout", "id": 1}, error="bad_frame", state="closed"),
        ),
        scenario(
            "bad_field",
            "a message that does not fit the schema",
            got({"type": "ping", "id": 0}, error="bad_frame", state="closed"),
        ),
        scenario(
            "bad_value",
            "a value that JSON can't carry is refused, and the answer is still owed",
            asked(PING | {"id": 1}),
            do("answer", id=1, value={"a": 2**53}, error="bad_frame", state="open"),
            do("answer", id=1, value={"a": 1}, **sent(result(1, {"a": 1}))),
        ),
    ]


def scenarios() -> list[Json]:
    """Give every scenario."""
    return [*_life(), *_requests(), *_cancels(), *_long(), *_bytes()]
