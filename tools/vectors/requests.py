"""Requests and their answers, in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.vectors.steps import (
    PING,
    SMALL,
    asked,
    do,
    error,
    event,
    got,
    ping,
    result,
    scenario,
    sent,
)

if TYPE_CHECKING:
    from tools.vectors.packing import Json


def scenarios() -> list[Json]:
    """Give the scenarios."""
    graph = {"cid": "bafy", "size": 10}
    run = {
        "type": "run",
        "steps": [{"model": "m", "inputs": {"x": {"tensor": "x"}}}],
        "fetch": [{"of": {"step": 0, "output": "y"}, "as": "x"}],
        "keep": [],
    }
    load: Json = {
        "type": "load",
        "model": "m",
        "platform": "wasm",
        "fallback": True,
        "dimensions": {},
        "graph": graph,
        "weights": [],
        "lent": [],
    }
    every: list[Json] = [
        load,
        {"type": "unload", "model": "m"},
        run,
        {"type": "put", "handle": 3},
        {"type": "get", "handle": 3},
        {"type": "drop", "handles": [3, 4]},
        PING,
        {"type": "probe", "platforms": ["wasm"], "measure": False},
        {"type": "tally"},
        {"type": "restart", "reason": "it hangs", "runtime": "plain"},
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
                open_requests=list(range(1, len(every) + 1)),
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
                for number in (10, 9, 8, 7, 6, 5, 4, 2)
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
