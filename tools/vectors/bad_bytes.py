"""Bytes and messages that no side may send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.vectors.steps import PING, asked, do, event, got, ping, result, scenario, sent

if TYPE_CHECKING:
    from tools.vectors.packing import Json


def scenarios() -> list[Json]:
    """Give the scenarios."""
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
