"""Puts nodes into an order in which they can run; refuses what no order can. Pure."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.refusal import invalid

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def ordered(
    known: Iterable[str], uses: Sequence[Iterable[str]], makes: Sequence[Iterable[str]]
) -> list[int]:
    """Order nodes that use and make these names, as they stand where that is possible."""
    makers = _makers(known, makes)
    waits, users = _edges(uses, makers)
    ready = [index for index, count in enumerate(waits) if not count]
    done: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        done.append(index)
        for user in users[index]:
            waits[user] -= 1
            if not waits[user]:
                heapq.heappush(ready, user)
    if len(done) < len(waits):
        stuck = next(index for index, count in enumerate(waits) if count)
        raise invalid(f"its node {stuck} waits for itself: the graph has a cycle")
    return done


def _makers(known: Iterable[str], makes: Sequence[Iterable[str]]) -> dict[str, int | None]:
    makers: dict[str, int | None] = dict.fromkeys(known)
    for index, names in enumerate(makes):
        for name in filter(None, names):
            if name in makers:
                raise invalid(f"the name {name!r} is given twice")
            makers[name] = index
    return makers


def _edges(
    uses: Sequence[Iterable[str]], makers: dict[str, int | None]
) -> tuple[list[int], list[list[int]]]:
    waits = [0] * len(uses)
    users: list[list[int]] = [[] for _ in uses]
    for index, names in enumerate(uses):
        for name in dict.fromkeys(filter(None, names)):
            if name not in makers:
                raise invalid(f"its node {index} uses {name!r}, which nothing makes")
            maker = makers[name]
            if maker is not None:
                users[maker].append(index)
                waits[index] += 1
    return waits, users
