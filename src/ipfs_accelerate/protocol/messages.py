"""The messages of the wire, one dataclass each; spec/PROTOCOL.md says what each is for.

The fields are those of spec/messages.schema.json, in its order, save that a request's `id` comes
last: the session sets it. `as_` stands for the JSON key `as`. What a class holds is checked
where it is read from JSON (`parse`); where Python code makes one, its types are mypy's business.
"""

# No `from __future__ import annotations` here: the readers are made from the fields' types.

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.shape import AtLeast, Misfit, reader, writer

VERSION = 1

Id: TypeAlias = Annotated[int, AtLeast(1)]
Count: TypeAlias = Annotated[int, AtLeast(0)]
Limit: TypeAlias = Annotated[int, AtLeast(1024)]
Milliseconds: TypeAlias = Annotated[float, AtLeast(0)]


@dataclass(frozen=True, slots=True)
class Limits:
    """The longest frame, and the longest message whatever it is split into, that a side takes."""

    max_frame_bytes: Limit
    max_message_bytes: Limit


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a peer has found out of itself; `threads` are those its WASM backend was given."""

    platforms: tuple[str, ...]
    runtime: str
    cores: Count
    threads: Count
    simd: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Bytes that the server holds, named by their hash."""

    cid: str
    size: Count


@dataclass(frozen=True, slots=True)
class Weight:
    """A block, and the path under which the graph's external data asks for it."""

    path: str
    cid: str
    size: Count


@dataclass(frozen=True, slots=True)
class Lent:
    """A weight that a graph takes as an input, and that the engine holds once for all models."""

    input: str
    cid: str
    size: Count
    dtype: str
    shape: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class TensorRef:
    """An input that is a tensor of the same frame."""

    tensor: str


@dataclass(frozen=True, slots=True)
class HandleRef:
    """An input that is live on the peer."""

    handle: Id


@dataclass(frozen=True, slots=True)
class StepRef:
    """An input that an earlier step of the same plan puts out."""

    step: Count
    output: str


Reference: TypeAlias = TensorRef | HandleRef | StepRef


@dataclass(frozen=True, slots=True)
class Step:
    """One run of one model, and where each of its inputs comes from."""

    model: str
    inputs: Mapping[str, Reference]


@dataclass(frozen=True, slots=True)
class Fetch:
    """What comes back as the tensor `as_` of the result: a step's output, or what is live."""

    of: Reference
    as_: str


@dataclass(frozen=True, slots=True)
class Keep:
    """An output that stays live on the peer under a handle of the host's choosing."""

    step: Count
    output: str
    handle: Id


@dataclass(frozen=True, slots=True)
class Hello:
    """What a side says first: its version, what it is, and what it can take."""

    version: Count
    role: Literal["host", "page", "engine"]
    agent: str
    limits: Limits
    capabilities: Capabilities | None = None


@dataclass(frozen=True, slots=True)
class Goodbye:
    """The last message of its sender."""

    reason: str


@dataclass(frozen=True, slots=True)
class Beat:
    """How the engine is, and the request that it is busy with."""

    engine: Literal["starting", "idle", "busy", "ended"]
    request: Id | None = None
    busy_ms: Milliseconds | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """Fetch blocks and make a model ready under a key of the host's choosing."""

    model: str
    platform: str
    fallback: bool
    dimensions: Mapping[str, Count]
    graph: Block
    weights: tuple[Weight, ...]
    lent: tuple[Lent, ...] = field(default=())
    id: Id = 0


@dataclass(frozen=True, slots=True)
class Unload:
    """Forget a model and give its memory back."""

    model: str
    id: Id = 0


@dataclass(frozen=True, slots=True)
class Run:
    """A plan: steps over loaded models, what comes back, and what stays."""

    steps: tuple[Step, ...]
    fetch: tuple[Fetch, ...]
    keep: tuple[Keep, ...] = field(default=())
    id: Id = 0


@dataclass(frozen=True, slots=True)
class Put:
    """Make the frame's tensor `data` live under a handle."""

    handle: Id
    id: Id = 0


@dataclass(frozen=True, slots=True)
class Get:
    """Send a live tensor back as `data`."""

    handle: Id
    id: Id = 0


@dataclass(frozen=True, slots=True)
class Drop:
    """Free handles; those that are not there are passed over."""

    handles: tuple[Id, ...]
    id: Id = 0


@dataclass(frozen=True, slots=True)
class Ping:
    """Ask for an empty result."""

    id: Id = 0


@dataclass(frozen=True, slots=True)
class Probe:
    """Ask what these platforms can do; with `measure`, also how fast."""

    platforms: tuple[str, ...]
    measure: bool
    id: Id = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """Ask what an engine holds: models, weights and tensors."""

    id: Id = 0


@dataclass(frozen=True, slots=True)
class Restart:
    """Replace the engine Worker by a fresh one that uses this build of onnxruntime-web."""

    reason: str
    runtime: str
    id: Id = 0


@dataclass(frozen=True, slots=True)
class Cancel:
    """Give up a request of one's own."""

    id: Id


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a request is."""

    id: Id
    stage: str
    done: Count
    total: Count


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to a request that succeeded."""

    id: Id
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Error:
    """The answer to a request that failed; `code` is a key of spec/errors.json."""

    id: Id
    code: str
    message: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a frame that is too long to be sent whole."""

    stream: Id
    offset: Count
    total: Count


@dataclass(frozen=True, slots=True)
class Abort:
    """The end of a stream whose remaining parts will not come."""

    stream: Id


Request: TypeAlias = Load | Unload | Run | Put | Get | Drop | Ping | Probe | Tally | Restart
Reply: TypeAlias = Progress | Result | Error
Message: TypeAlias = Hello | Goodbye | Beat | Request | Cancel | Reply | Part | Abort

_TYPES: dict[str, type] = {
    cls.__name__.lower(): cls
    for cls in (
        *(Hello, Goodbye, Beat, Load, Unload, Run, Put, Get, Drop, Ping, Probe, Tally, Restart),
        *(Cancel, Progress, Result, Error, Part, Abort),
    )
}
_NAMES = {cls: name for name, cls in _TYPES.items()}
_READERS = {name: reader(cls) for name, cls in _TYPES.items()}
_WRITERS = {cls: writer(cls) for cls in _NAMES}


def type_name(message: Message) -> str:
    """Give the `type` that the message has on the wire."""
    return _NAMES[type(message)]


def to_json(message: Message) -> dict[str, Any]:
    """Write the message as the JSON object that the schema describes."""
    cls = type(message)
    return {"type": _NAMES[cls], **_WRITERS[cls](message)}


def parse(raw: dict[str, Any]) -> Message:
    """Read a JSON object as its message, or refuse it with the field that does not fit."""
    kind = raw.get("type")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise ProtocolError(f"A message has the type {kind!r}, which is unknown.")
    content = dict(raw)
    del content["type"]
    try:
        message: Message = read(content)
    except Misfit as misfit:
        field_name = ".".join(misfit.path)
        raise ProtocolError(
            f"The message {kind}, field {field_name}: it {misfit.reason}.",
            hint="Both sides must speak the same version of the wire.",
            details={"type": kind, "field": field_name},
        ) from None
    return message
