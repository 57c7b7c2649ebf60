"""What the graphs inside a node use of the graph outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.graph.limits import graphs_of

if TYPE_CHECKING:
    from onnx import GraphProto, NodeProto


def captured(node: NodeProto) -> dict[str, None]:
    """The names that the node's graphs use and do not make, in the order in which they stand."""
    found: dict[str, None] = {}
    for attribute in node.attribute:
        for graph in graphs_of(attribute):
            found |= _free(graph)
    return found


def _free(graph: GraphProto) -> dict[str, None]:
    own = {one.name for one in (*graph.input, *graph.initializer)}
    own.update(one.values.name for one in graph.sparse_initializer)
    own.update(name for node in graph.node for name in node.output)
    used: dict[str, None] = {}
    for node in graph.node:
        used |= dict.fromkeys(filter(None, node.input)) | captured(node)
    used |= dict.fromkeys(one.name for one in graph.output)
    return {name: None for name in used if name not in own}
