"""Which nodes are cheaper to compute again than to carry their values across a cut. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.graph.dag import SMALLEST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.graph.dag import Dag, Node

_MOST = 1 << 20
"""Items that may be computed for one such value, all that it is made of included."""

_LIGHT = frozenset(
    {
        "Abs",
        "Add",
        "And",
        "Cast",
        "CastLike",
        "Ceil",
        "Clip",
        "Concat",
        "ConstantOfShape",
        "CumSum",
        "Div",
        "Equal",
        "Expand",
        "Flatten",
        "Floor",
        "Gather",
        "Greater",
        "GreaterOrEqual",
        "Identity",
        "Less",
        "LessOrEqual",
        "Max",
        "Min",
        "Mod",
        "Mul",
        "Neg",
        "Not",
        "Or",
        "Range",
        "Reshape",
        "Shape",
        "Size",
        "Slice",
        "Split",
        "Sqrt",
        "Squeeze",
        "Sub",
        "Tile",
        "Transpose",
        "Trilu",
        "Unsqueeze",
        "Where",
    }
)


def cheap(dag: Dag, work: Mapping[str, int]) -> frozenset[str]:
    """The digests of nodes that come of graph inputs and small constants by light steps alone.

    A mask's arithmetic, say. All that such a node is made of is cheap as well.
    """
    costs: dict[str, int] = {}
    for node in dag.nodes:
        cost = _cost(node, dag, costs, work[node.digest])
        if cost is not None:
            costs |= dict.fromkeys(filter(None, node.outputs), cost)
    return frozenset(
        node.digest for node in dag.nodes if any(one in costs for one in node.outputs if one)
    )


def _cost(node: Node, dag: Dag, costs: Mapping[str, int], own: int) -> int | None:
    if node.domain or node.operator not in _LIGHT or node.captured or not node.repeatable:
        return None
    total = own
    for used in node.uses():
        weight = dag.weight_of.get(used)
        if weight is not None and weight.size >= SMALLEST:
            return None
        if used in costs:
            total += costs[used]
        elif used in dag.producer_of:
            return None
    return total if total <= _MOST else None
