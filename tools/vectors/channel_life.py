"""The life of a channel: hello, goodbye, and loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.vectors.steps import (
    HELLO,
    PEER,
    PING,
    asked,
    do,
    event,
    got,
    hello,
    ping,
    result,
    scenario,
    sent,
)

if TYPE_CHECKING:
    from tools.vectors.packing import Json


def scenarios() -> list[Json]:
    """Give the scenarios."""
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
            got(hello("engine", 2048, 4096, version=2), error="version_mismatch", state="closed"),
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
