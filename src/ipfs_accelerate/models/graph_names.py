"""The names in an ONNX graph: what they are, who reads them, and how they are given anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
            _give(value, "name", new)
        for sparse in one.sparse_initializer:
            _give(sparse.values, "name", new)
        for note in one.quantization_annotation:
            _give(note, "tensor_name", new)
            for entry in note.quant_parameter_tensor_names:
                _give(entry, "value", new)
        for node in one.node:
            _give_all(node.input, new)
            _give_all(node.output, new)


def _give(message: Any, field: str, new: Callable[[str], str]) -> None:
    name = getattr(message, field)
    if (given := new(name)) != name:
        setattr(message, field, given)


def _give_all(names: Any, new: Callable[[str], str]) -> None:
    # An optional input that is left out has no name, and keeps having none.
    given = [name and new(name) for name in names]
    if given != list(names):
        names[:] = given


def _inner(node: NodeProto) -> Iterator[GraphProto]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs
