"""What can happen to a pool, and what is then to be done. Events are past, actions imperative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ipfs_accelerate.errors import AccelerateError


@dataclass(frozen=True, slots=True)
class Submitted:
    """A request came in. It wants `model`, and where `worker` is set that worker and no other."""

    request: int
    model: str | None = None
    worker: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A request ended, however it did; its caller may also have given it up while it waited."""

    request: int


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """A worker's engine said hello: it can take work, and holds no model yet."""

    worker: int


@dataclass(frozen=True, slots=True)
class EngineLost:
    """A worker's engine ended while its page lives on; a fresh one will dial in."""

    worker: int


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """A worker's browser could not be started, or ended."""

    worker: int
    error: AccelerateError


@dataclass(frozen=True, slots=True)
class ModelLoaded:
    """A worker holds a model now."""

    worker: int
    model: str


@dataclass(frozen=True, slots=True)
class ModelUnloaded:
    """A worker holds a model no longer."""

    worker: int
    model: str


@dataclass(frozen=True, slots=True)
class Warmed:
    """Somebody wants at least one worker to be there, with no request yet."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The pool is to end."""

    error: AccelerateError


@dataclass(frozen=True, slots=True)
class LaunchBrowser:
    """Start a browser; it becomes this worker."""

    worker: int


@dataclass(frozen=True, slots=True)
class Assign:
    """Give the request to the worker."""

    request: int
    worker: int


@dataclass(frozen=True, slots=True)
class Fail:
    """End the request with this error."""

    request: int
    error: AccelerateError


@dataclass(frozen=True, slots=True)
class EndBrowser:
    """End a worker's browser, and forget the worker."""

    worker: int


Event = (
    Submitted
    | Finished
    | WorkerReady
    | EngineLost
    | WorkerLost
    | ModelLoaded
    | ModelUnloaded
    | Warmed
    | Closed
)
Action = LaunchBrowser | Assign | Fail | EndBrowser
