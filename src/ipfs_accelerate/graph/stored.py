"""Which weights are equal when a transposed one counts as the same: stored and sent once. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.digests import of_tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ipfs_accelerate.graph.dag import Dag, Weight

    _Side = tuple[str, tuple[int, ...]]
    Turned = Callable[[str, tuple[int, ...], str], str]


def canonical_weights(
    dags: Mapping[str, Dag], turned: Turned | None
) -> dict[str, dict[str, Weight]]:
    """Each model's weights by canonical digest.

    `turned` is asked for external matrices alone, and of these only where another model has one
    of the same sides.
    """
    sides = Counter(side for dag in dags.values() for side in {_side(one) for one in dag.weights})
    return {
        key: {_canonical(one, turned, sides): one for one in dag.weights if not one.turned_from}
        for key, dag in dags.items()
    }


def _canonical(weight: Weight, turned: Turned | None, sides: Mapping[_Side, int]) -> str:
    if weight.canonical is not None:
        return weight.canonical
    if turned is None or weight.cid is None or sides[_side(weight)] < 2:  # noqa: PLR2004 - itself and another
        return weight.digest
    content = turned(weight.cid, weight.shape, weight.dtype)
    return min(weight.digest, of_tensor(weight.dtype, weight.shape[::-1], content))


def _side(weight: Weight) -> _Side:
    return weight.dtype, tuple(sorted(weight.shape))
