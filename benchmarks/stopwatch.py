"""Adds up what was timed, by name, in milliseconds."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Stopwatch:
    """`with watch.of(name): ...` adds one time to `watch.taken[name]`."""

    def __init__(self) -> None:
        self.taken: defaultdict[str, list[float]] = defaultdict(list)

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Time the block; one that raises leaves no time."""
        started = perf_counter()
        yield
        self.taken[name].append((perf_counter() - started) * 1000)
