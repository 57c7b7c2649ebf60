"""Compares models: what they share at three levels, and which nodes keep them from more. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.parts import MEASURED, Costs, Partition

if TYPE_CHECKING:
    from ipfs_accelerate.graph.dag import Dag
    from ipfs_accelerate.graph.explanation import Explanation


def explain(
    dags: Mapping[str, Dag],
    costs: Costs = MEASURED,
    *,
    cut: Partition | None = None,
    turned: Callable[[str, tuple[int, ...], str], str] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Explanation:
    """Say what two or more models share; `cut` is their partition where it is known already."""
    raise NotImplementedError
