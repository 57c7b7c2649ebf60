"""The steps that scenarios are made of: what is done to one session, and what must come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.vectors.packing import tensor

if TYPE_CHECKING:
    from tools.vectors.packing import Json


def hello(role: str, frame: int, message: int, version: int = 1) -> Json:
    """Give a hello with its limits."""
    limits = {"max_frame_bytes": frame, "max_message_bytes": message}
    return {
        "type": "hello",
        "version": version,
        "role": role,
        "agent": f"vector {role}",
        "limits": limits,
    }


# Agreed: frames of 1024 bytes, messages of 4096.
HELLO = hello("host", 1024, 8192)
PEER = hello("engine", 2048, 4096)
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
