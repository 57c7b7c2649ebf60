"""What a session tells the shell that drives it. `id` is always an id of the request meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.errors import AccelerateError
    from ipfs_accelerate.protocol.messages import Beat, Hello, Request
    from ipfs_accelerate.protocol.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Opened:
    """The other side has said what it is."""

    hello: Hello


@dataclass(frozen=True, slots=True)
class Asked:
    """The other side wants something; it is owed exactly one answer."""

    id: int
    message: Request
    tensors: Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class CancelAsked:
    """The other side gave a request up; it is still owed its answer. Said once at most."""

    id: int


@dataclass(frozen=True, slots=True)
class Progressed:
    """How far a request of ours is."""

    id: int
    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A request of ours succeeded."""

    id: int
    value: Mapping[str, Any]
    tensors: Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class Refused:
    """A request of ours failed: the other side said so, or the channel ended."""

    id: int
    error: AccelerateError


@dataclass(frozen=True, slots=True)
class Beaten:
    """How the other side's engine is."""

    beat: Beat


@dataclass(frozen=True, slots=True)
class Ended:
    """The other side said goodbye; the session is closed."""

    reason: str


Event: TypeAlias = Opened | Asked | CancelAsked | Progressed | Answered | Refused | Beaten | Ended
