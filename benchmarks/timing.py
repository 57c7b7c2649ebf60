"""Times sides in turn, each call by itself, in milliseconds."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from benchmarks.pairs import interleaved

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping


async def time_async(
    sides: Mapping[str, Callable[[], Awaitable[Any]]],
    rounds: int,
    *,
    warm_up: int,
    on_round: Callable[[int], None],
) -> dict[str, list[float]]:
    """What each side took in each round, after some rounds that are not kept."""
    for _, name in interleaved([*sides], warm_up):
        await sides[name]()
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for number, name in interleaved([*sides], rounds):
        call = sides[name]
        started = perf_counter()
        await call()
        taken[name].append((perf_counter() - started) * 1000)
        on_round(number + 1)
    return taken


def time_sync(
    sides: Mapping[str, Callable[[], Any]],
    rounds: int,
    *,
    warm_up: int,
    on_round: Callable[[int], None],
) -> dict[str, list[float]]:
    """The same for blocking calls."""
    for _, name in interleaved([*sides], warm_up):
        sides[name]()
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for number, name in interleaved([*sides], rounds):
        call = sides[name]
        started = perf_counter()
        call()
        taken[name].append((perf_counter() - started) * 1000)
        on_round(number + 1)
    return taken
