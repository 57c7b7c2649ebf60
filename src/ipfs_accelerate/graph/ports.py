"""Shapes as several models know them, brought to one form. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ipfs_accelerate.graph.dag import Dimension, Shape


class Dimensions:
    """Names the free dimensions of a part's inputs in the order in which they come."""

    def __init__(self) -> None:
        self._names: dict[tuple[Dimension, ...], str] = {}
        self._count = 0

    def merge(self, shapes: Sequence[Shape | None]) -> Shape | None:
        """The shape that takes what each of these models gives; None where the ranks differ."""
        known = [one for one in shapes if one is not None]
        if len(known) < len(shapes) or len({len(one) for one in known}) != 1:
            return None
        return tuple(self._dimension(sizes) for sizes in zip(*known, strict=True))

    def _dimension(self, sizes: tuple[Dimension, ...]) -> Dimension:
        first = sizes[0]
        if isinstance(first, int) and all(one == first for one in sizes):
            return first
        if None not in sizes and sizes in self._names:
            return self._names[sizes]
        name = f"d{self._count}"
        self._count += 1
        return self._names.setdefault(sizes, name) if None not in sizes else name
