"""The names in an ONNX graph: what they are, who reads them, and how they are given anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from onnx import GraphProto, NodeProto


def nested(graph: GraphProto) -> Iterator[GraphProto]:
    """Yield the graph and every graph inside its nodes: branches and loop bodies."""
    yield graph
    for node in graph.node:
        for inner in _inner(node):
            yield from nested(inner)


def values_in(graph: GraphProto) -> set[str]:
    """Every name of a value, here and in the graphs inside."""
    found: set[str] = set()

    def note(name: str) -> str:
        found.add(name)
        return name

    rename(graph, note)
    return found


def read_by(node: NodeProto) -> set[str]:
    """What a node reads; of the graphs inside it too, which may read what is outside of them."""
    names = {name for name in node.input if name}
    for graph in _inner(node):
        names.update(value.name for value in graph.output)
        for inside in graph.node:
            names |= read_by(inside)
    return names


def rename(graph: GraphProto, new: Callable[[str], str]) -> None:
    """Give every value the name that `new` makes of its own, here and in the graphs inside."""
    for one in nested(graph):
        for value in (*one.input, *one.output, *one.value_info, *one.initializer):
            value.name = new(value.name)
        for sparse in one.sparse_initializer:
            sparse.values.name = new(sparse.values.name)
        for note in one.quantization_annotation:
            note.tensor_name = new(note.tensor_name)
            for entry in note.quant_parameter_tensor_names:
                entry.value = new(entry.value)
        for node in one.node:
            # An optional input that is left out has no name, and keeps having none.
            node.input[:] = [name and new(name) for name in node.input]
            node.output[:] = [name and new(name) for name in node.output]


def _inner(node: NodeProto) -> Iterator[GraphProto]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs
