"""Bounds on a graph before anything walks it: how many nodes, how deep, attributes of what kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.graph.refusal import invalid

if TYPE_CHECKING:
    from collections.abc import Iterable

    from onnx import AttributeProto, GraphProto, ModelProto, NodeProto

MOST_NODES = 1_000_000
DEEPEST = 30
"""Graphs within graphs: protobuf itself reads 100 messages within messages, of which each takes
three."""

_KINDS = range(1, 15)


def check(model: ModelProto) -> None:
    """Raise if the model has too many nodes, too deep graphs or attributes of no known kind."""
    count = 0
    waiting: list[tuple[int, Iterable[NodeProto]]] = [(1, model.graph.node)]
    waiting += [(1, function.node) for function in model.functions]
    while waiting:
        depth, nodes = waiting.pop()
        if depth > DEEPEST:
            raise invalid(f"its graphs are nested deeper than {DEEPEST}")
        for node in nodes:
            count += 1
            if count > MOST_NODES:
                raise invalid(f"it has more than {MOST_NODES:,} nodes")
            _check_names(node)
            for attribute in node.attribute:
                waiting += [(depth + 1, graph.node) for graph in graphs_of(attribute)]


def _check_names(node: NodeProto) -> None:
    """Raise unless the node's names are text: protobuf hands out bytes where they are no UTF-8."""
    names = [node.op_type, node.domain, *node.input, *node.output]
    names += [attribute.name for attribute in node.attribute]
    if not all(isinstance(name, str) for name in names):
        raise invalid("a node of it has a name that is no text")


def graphs_of(attribute: AttributeProto) -> list[GraphProto]:
    """The graphs that an attribute holds; an attribute of no known kind is refused."""
    if attribute.type not in _KINDS:
        raise invalid(
            f"its attribute {attribute.name!r} is of kind {attribute.type}, which is none"
        )
    if attribute.type == attribute.GRAPH:
        return [attribute.g]
    return list(attribute.graphs) if attribute.type == attribute.GRAPHS else []
