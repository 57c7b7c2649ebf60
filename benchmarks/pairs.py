"""The order of interleaved measurements: a drift of the machine falls on all alike. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")


def interleaved(sides: Sequence[T], rounds: int) -> Iterator[tuple[int, T]]:
    """Each round's number with each side once: A B, then B A, then A B again."""
    for number in range(rounds):
        yield from ((number, side) for side in (sides if number % 2 == 0 else sides[::-1]))
