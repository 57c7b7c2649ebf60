"""What every model of a set begins with, as far as it ends where a cut is safe. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ipfs_accelerate.graph.living import Living

Group = frozenset[str]
"""The names of some models."""


def owners(models: Mapping[str, Living], light: Collection[str]) -> dict[str, Group]:
    """Which models have each node; a random node is its own model's alone."""
    found: dict[str, set[str]] = {}
    for key, living in models.items():
        for digest, node in living.nodes.items():
            if node.repeatable and digest not in light:
                found.setdefault(digest, set()).add(key)
    return {digest: frozenset(keys) for digest, keys in found.items()}


def prefix(models: Collection[Living], common: Iterable[str], safe: Collection[str]) -> set[str]:
    """The most of the common nodes that leaves only safe values to be used outside.

    Whatever makes another value that is used outside is dropped, and all that builds on it. The
    common nodes hold all that each of them is made of, and so does what is left.
    """
    kept = set(common)
    waiting = list(kept)
    while waiting:
        digest = waiting.pop()
        if digest not in kept or not any(
            value not in safe and _leaves(value, kept, models) for value in _made(digest, models)
        ):
            continue
        waiting += _drop(digest, kept, models)
    return kept


def frontier(models: Collection[Living], kept: Collection[str]) -> list[str]:
    """The values of the kept nodes that are used outside of them, in an order of their own."""
    return sorted(
        value for digest in kept for value in _made(digest, models) if _leaves(value, kept, models)
    )


def _drop(digest: str, kept: set[str], models: Collection[Living]) -> Iterator[str]:
    """Drop a node and all that builds on it; yield what is to be looked at again."""
    falling = [digest]
    while falling:
        one = falling.pop()
        if one not in kept:
            continue
        kept.remove(one)
        for living in models:
            for value in living.nodes[one].outputs:
                falling += [user for user in living.users.get(value, ()) if user in kept]
            for value in living.nodes[one].uses():
                maker = living.dag.producer_of.get(value)
                if maker is not None:
                    yield maker.digest


def _made(digest: str, models: Collection[Living]) -> Iterator[str]:
    # Equal nodes make equal values: any model tells.
    return filter(None, next(iter(models)).nodes[digest].outputs)


def _leaves(value: str, kept: Collection[str], models: Collection[Living]) -> bool:
    return any(
        value in living.ends or any(user not in kept for user in living.users.get(value, ()))
        for living in models
    )
