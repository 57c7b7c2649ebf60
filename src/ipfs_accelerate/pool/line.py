"""The requests on one worker, in the order in which its engine takes them."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


class Line:
    """Times each request from when it is the first: what one takes is not charged to the next."""

    def __init__(self) -> None:
        self._places: deque[Place] = deque()

    def place(self, timeout_s: float) -> Place:
        """A place at the end, for `async with`; see Place."""
        return Place(self, timeout_s)

    def join(self, place: Place) -> None:
        """Stand at the end."""
        self._places.append(place)
        self._time_the_first()

    def leave(self, place: Place) -> None:
        """Let the next one be the first. Idempotent."""
        if place in self._places:
            self._places.remove(place)
            self._time_the_first()

    def _time_the_first(self) -> None:
        if self._places:
            self._places[0].begin()


class Place:
    """A request's place, and its time: TimeoutError where its block takes longer once it is first.

    A block that was cancelled, or took too long, keeps its place until `leave`: the engine may
    still be at it, and meanwhile nobody behind it is timed.
    """

    # A class, since contextlib's generators and their steps take 10 us more of each request.

    def __init__(self, line: Line, timeout_s: float) -> None:
        self._line = line
        self._timeout_s = timeout_s
        self._patience = asyncio.timeout(None)
        self._given_up = False

    def begin(self) -> None:
        """It is the first now, so its time begins, unless it has begun or nobody waits for it."""
        if not self._given_up and self._patience.when() is None:
            self._patience.reschedule(asyncio.get_running_loop().time() + self._timeout_s)

    async def __aenter__(self) -> Self:
        await self._patience.__aenter__()
        self._line.join(self)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None or issubclass(kind, Exception):
            self._line.leave(self)
        else:
            self._given_up = True
        await self._patience.__aexit__(kind, error, trace)
