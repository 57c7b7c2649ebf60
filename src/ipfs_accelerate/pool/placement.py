"""Which worker takes a request. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ipfs_accelerate.pool.events import Submitted

IN_FLIGHT = 2
"""Requests that a worker holds at once: one runs while the next one's bytes are on their way."""


@dataclass(slots=True)
class WorkerState:
    """What the pool knows of a worker."""

    number: int
    status: Literal["starting", "ready"] = "starting"
    models: set[str] = field(default_factory=set)
    running: set[int] = field(default_factory=set)
    came: bool = False
    """whether it was ever ready"""

    @property
    def free(self) -> bool:
        """Whether it can take one more request."""
        return self.status == "ready" and len(self.running) < IN_FLIGHT


def choose(request: Submitted, workers: Iterable[WorkerState]) -> WorkerState | None:
    """The free worker that has the model, else the least busy one; None where all are taken."""
    fit = [one for one in workers if one.free and request.worker in (None, one.number)]
    return min(
        fit,
        key=lambda one: (request.model not in one.models, len(one.running), one.number),
        default=None,
    )
