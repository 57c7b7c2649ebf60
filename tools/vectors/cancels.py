"""Requests that were given up."""

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
