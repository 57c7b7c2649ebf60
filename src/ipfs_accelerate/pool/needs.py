"""What a request needs of the worker that it is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ipfs_accelerate.config import Wish

if TYPE_CHECKING:
    from ipfs_accelerate.models import Manifest
    from ipfs_accelerate.pool.loaded import Loaded
    from ipfs_accelerate.pool.worker import Worker

OnProgress: TypeAlias = Callable[[str, int, int], None]
Check: TypeAlias = "Callable[[Worker, Loaded], Awaitable[None]]"
Dimensions: TypeAlias = Mapping[str, int]


def _free(_platform: str) -> Dimensions:
    return {}


@dataclass(frozen=True, slots=True)
class Needed:
    """A model, where it may run, and what must hold before it serves there."""

    model: Manifest
    wish: Wish = field(default_factory=Wish)
    check: Check | None = None
    """raises where the model computes wrongly on this worker and platform"""
    on_progress: OnProgress | None = None
    dimensions: Callable[[str], Dimensions] = _free
    """the free dimensions that a platform must have fixed, as this request has them"""
