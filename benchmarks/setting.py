"""What a run of benchmarks was asked for: how many pairs and threads, and where it may write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Given to each benchmark. `folder` is emptied at the run's end; nothing else is written to."""

    folder: Path
    threads: int
    asked_pairs: int | None
    quick: bool
    on_step: Callable[[str, int, int], None]

    def pairs(self, full: int, *, quick: int) -> int:
        """How many pairs of something short."""
        if self.asked_pairs is not None:
            return self.asked_pairs
        return quick if self.quick else full

    def long_pairs(self, full: int, *, quick: int) -> int:
        """How many of something that takes a second or more each: never more than its own count."""
        return min(self.pairs(full, quick=quick), full)

    @property
    def options(self) -> dict[str, Any]:
        """The accelerator's options: a cache of the run's own, any free port, fixed threads.

        Nothing is remembered, so that an input which comes again is computed again.
        """
        return {
            "cache_dir": self.folder / "cache",
            "websocket_port": 0,
            "threads": self.threads,
            "max_connections": 1,
            "remember": False,
        }
