"""The requests on one worker, in the order in which its engine takes them."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@dataclass(slots=True, eq=False)
class Place:
    """A request's place, and its time."""

    patience: asyncio.Timeout
    timeout_s: float
    given_up: bool = False


class Line:
    """Times each request from when it is the first: what one takes is not charged to the next."""

    def __init__(self) -> None:
        self._places: deque[Place] = deque()

    @contextlib.asynccontextmanager
    async def place(self, timeout_s: float) -> AsyncIterator[Place]:
        """A place at the end; TimeoutError where the block takes longer once it is the first.

        A block that was cancelled, or took too long, keeps its place until `leave`: the engine
        may still be at it, and meanwhile nobody behind it is timed.
        """
        async with asyncio.timeout(None) as patience:
            place = Place(patience, timeout_s)
            self._places.append(place)
            self._time_the_first()
            try:
                yield place
            except Exception:
                self.leave(place)
                raise
            except asyncio.CancelledError:
                place.given_up = True
                raise
            else:
                self.leave(place)

    def leave(self, place: Place) -> None:
        """Let the next one be the first. Idempotent."""
        if place in self._places:
            self._places.remove(place)
            self._time_the_first()

    def _time_the_first(self) -> None:
        if not self._places:
            return
        first = self._places[0]
        if not first.given_up and first.patience.when() is None:
            first.patience.reschedule(asyncio.get_running_loop().time() + first.timeout_s)
