"""A graph without what its outputs do not need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ipfs_accelerate.models.graph_names import read_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from onnx import GraphProto


def prune(graph: GraphProto) -> None:
    """Drop the nodes, weights and inputs that no output needs; the rest stays as it is."""
    needed = _needed(graph)
    _keep(graph.node, lambda node: not needed.isdisjoint(node.output))
    for held in (graph.input, graph.initializer, graph.value_info):
        _keep(held, lambda value: value.name in needed)
    _keep(graph.sparse_initializer, lambda sparse: sparse.values.name in needed)
    _keep(graph.quantization_annotation, lambda note: note.tensor_name in needed)


def _needed(graph: GraphProto) -> set[str]:
    """Every value on the way to an output; by a stack, so that depth costs no recursion."""
    makers = {name: node for node in graph.node for name in node.output if name}
    waiting = [output.name for output in graph.output]
    needed = set(waiting)
    while waiting:
        maker = makers.get(waiting.pop())
        if maker is not None:
            more = read_by(maker) - needed
            needed |= more
            waiting.extend(more)
    return needed


def _keep(held: Any, wanted: Callable[[Any], bool]) -> None:
    """Delete the others where they are, so that what is kept is not even copied."""
    for index in reversed(range(len(held))):
        if not wanted(held[index]):
            del held[index]
