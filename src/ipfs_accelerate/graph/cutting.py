"""Cuts a set of models so that what they share is loaded and computed once. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.parts import MEASURED, Costs, Partition

if TYPE_CHECKING:
    from ipfs_accelerate.graph.dag import Dag


def partition(
    dags: Mapping[str, Dag],
    costs: Costs = MEASURED,
    fixed: Collection[str] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Partition:
    """Cut the models. With `fixed`, only where that ends in these parts, which are loaded."""
    raise NotImplementedError
