"""An example of every message, and what its reader must refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tools.vectors.packing import Json

TOP = 2**53 - 1
HASH = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"
LIMITS = {"max_frame_bytes": 1024, "max_message_bytes": 8192}
CAPABILITIES = {
    "platforms": ["wasm"],
    "runtime": "plain",
    "cores": 2,
    "threads": 1,
    "simd": True,
}

EXAMPLES: list[Json] = [
    {"type": "hello", "version": 1, "role": "host", "agent": "vector", "limits": LIMITS},
    {
        "type": "hello",
        "version": 1,
        "role": "engine",
        "agent": "vector",
        "limits": {"max_frame_bytes": TOP, "max_message_bytes": TOP},
        "capabilities": CAPABILITIES,
    },
    {"type": "goodbye", "reason": "closed by its user"},
    {"type": "beat", "engine": "idle"},
    {"type": "beat", "engine": "busy", "request": 7, "busy_ms": 12.5},
    {
        "type": "load",
        "id": 1,
        "model": "m",
        "platform": "wasm",
        "fallback": False,
        "dimensions": {"batch": 1},
        "graph": {"cid": HASH, "size": 0},
        "weights": [{"path": "model.onnx_data", "cid": HASH, "size": TOP}],
        "lent": [{"input": "w", "cid": HASH, "size": 8, "dtype": "F32", "shape": [1, 2]}],
    },
    {"type": "unload", "id": 2, "model": "m"},
    {
        "type": "run",
        "id": 3,
        "steps": [
            {"model": "m", "inputs": {"ids": {"tensor": "ids"}, "state": {"handle": 5}}},
            {"model": "n", "inputs": {"x": {"step": 0, "output": "y"}}},
        ],
        "fetch": [
            {"of": {"step": 1, "output": "z"}, "as": "vector"},
            {"of": {"handle": 5}, "as": "state"},
        ],
        "keep": [{"step": 0, "output": "y", "handle": 6}],
    },
    {"type": "run", "id": 4, "steps": [], "fetch": [], "keep": []},
    {"type": "put", "id": 5, "handle": 1},
    {"type": "get", "id": 6, "handle": TOP},
    {"type": "drop", "id": 7, "handles": [1, 2]},
    {"type": "drop", "id": 8, "handles": []},
    {"type": "ping", "id": TOP},
    {"type": "probe", "id": 9, "platforms": ["webgpu"], "measure": True},
    {"type": "tally", "id": 10},
    {"type": "restart", "id": 9, "reason": "it hangs", "runtime": "plain"},
    {"type": "cancel", "id": 3},
    {"type": "progress", "id": 1, "stage": "fetch", "done": 0, "total": 10},
    {"type": "result", "id": 1, "value": {"a": [1, 2.5, None, True, "x", {"b": {}}]}},
    {
        "type": "error",
        "id": 1,
        "code": "run_failed",
        "message": "It failed.",
        "details": {"stack": "at f"},
    },
    {"type": "part", "stream": 1, "offset": 0, "total": 10},
    {"type": "abort", "stream": 1},
]

# A number is an integer if its value is one, however it is written.
WHOLE: list[Json] = [{"type": "ping", "id": 1.0}, {"type": "beat", "engine": "busy", "busy_ms": 3}]

# What stands in the place of a value that is well typed.
_WRONG = {str: 1, int: "1", float: "1", bool: 1, list: {}, dict: []}


def _with(message: Json, key: str, value: Any) -> Json:
    return message | {key: value}


def _mutations(message: Json) -> list[Json]:
    kind = message["type"]
    cases = [
        {
            "about": f"{kind} with a key that it does not have",
            "message": _with(message, "extra", 1),
            "field": "extra",
        }
    ]
    for key, value in message.items():
        if key == "type":
            continue
        cases += [
            {
                "about": f"{kind} whose {key} has another type",
                "message": _with(message, key, _WRONG[type(value)]),
                "field": key,
            },
            {
                "about": f"{kind} whose {key} is null",
                "message": _with(message, key, None),
                "field": key,
            },
        ]
        if key not in {"capabilities", "request", "busy_ms"}:
            rest = {name: one for name, one in message.items() if name != key}
            cases.append({"about": f"{kind} without {key}", "message": rest, "field": key})
    return cases


def _run(**changes: Any) -> Json:
    return {"type": "run", "id": 1, "steps": [], "fetch": [], "keep": []} | changes


def _inputs(reference: Any) -> Json:
    return _run(steps=[{"model": "m", "inputs": {"x": reference}}])


def _hello(**changes: Any) -> Json:
    return EXAMPLES[0] | changes


_BY_HAND: list[tuple[str, Json, str | None]] = [
    ("a type that is unknown", {"type": "shout", "id": 1}, None),
    ("a type that belongs to no message", {"type": "toString", "id": 1}, None),
    ("a type that is not text", {"type": 1, "id": 1}, None),
    ("no type", {"id": 1}, None),
    ("an id of 0", {"type": "ping", "id": 0}, "id"),
    ("an id below 0", {"type": "ping", "id": -1}, "id"),
    ("an id with a fraction", {"type": "ping", "id": 1.5}, "id"),
    ("an id that is true", {"type": "ping", "id": True}, "id"),
    ("a count below 0", {"type": "part", "stream": 1, "offset": -1, "total": 1}, "offset"),
    ("a stream of 0", {"type": "part", "stream": 0, "offset": 0, "total": 1}, "stream"),
    ("a role that is none", _hello(role="guest"), "role"),
    ("a limit below 1024", _hello(limits=LIMITS | {"max_frame_bytes": 1023}), "limits"),
    ("a limit that is missing", _hello(limits={"max_frame_bytes": 1024}), "limits"),
    ("a limit that is unknown", _hello(limits=LIMITS | {"max_ids": 1}), "limits"),
    ("simd that is a number", _hello(capabilities=CAPABILITIES | {"simd": 1}), "capabilities"),
    (
        "a platform that is a number",
        _hello(capabilities=CAPABILITIES | {"platforms": [1]}),
        "capabilities",
    ),
    ("a dimension that is text", EXAMPLES[5] | {"dimensions": {"batch": "1"}}, "dimensions"),
    ("an engine that does something else", {"type": "beat", "engine": "asleep"}, "engine"),
    (
        "a time below 0",
        {"type": "beat", "engine": "busy", "request": 1, "busy_ms": -0.5},
        "busy_ms",
    ),
    ("a step that is text", _run(steps=["m"]), "steps"),
    ("a step without inputs", _run(steps=[{"model": "m"}]), "steps"),
    ("a reference to nothing", _inputs({}), "steps"),
    ("a reference that is text", _inputs("x"), "steps"),
    ("a reference to two things", _inputs({"tensor": "a", "handle": 1}), "steps"),
    ("a reference to half an output", _inputs({"step": 0}), "steps"),
    ("a reference to handle 0", _inputs({"handle": 0}), "steps"),
    ("a reference to a tensor by number", _inputs({"tensor": 1}), "steps"),
    ("a fetch without its name", _run(fetch=[{"step": 0, "output": "y"}]), "fetch"),
    (
        "a fetch named in another way",
        _run(fetch=[{"step": 0, "output": "y", "as_": "z"}]),
        "fetch",
    ),
    ("a keep under handle 0", _run(keep=[{"step": 0, "output": "y", "handle": 0}]), "keep"),
    ("a handle that is text", {"type": "drop", "id": 1, "handles": ["1"]}, "handles"),
]


def messages() -> Json:
    """Give messages.json."""
    valid = [{"about": f"an example of {one['type']}", "message": one} for one in EXAMPLES]
    valid += [{"about": "a whole number, written as it may be", "message": one} for one in WHOLE]
    invalid = [case for example in EXAMPLES for case in _mutations(example)]
    for about, message, field in _BY_HAND:
        invalid.append({"about": about, "message": message} | ({"field": field} if field else {}))
    return {"valid": valid, "invalid": invalid}
