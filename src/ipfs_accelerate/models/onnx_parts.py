"""Walks over the parts of an ONNX model: its graphs, constants and ports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.models.manifest import Dimension, Port
from ipfs_accelerate.models.refusal import invalid
from ipfs_accelerate.tensors.dtypes import onnx_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from onnx import (
        AttributeProto,
        GraphProto,
        ModelProto,
        TensorProto,
        TensorShapeProto,
        ValueInfoProto,
    )


def graphs_of(model: ModelProto) -> Iterator[GraphProto]:
    """Yield the model's graph and every graph inside its nodes (branches and loop bodies)."""
    yield model.graph
    for attribute in _attributes(model):
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def attribute_tensors(model: ModelProto) -> Iterator[TensorProto]:
    """Yield every tensor that is a node's attribute, as a constant's value is."""
    for attribute in _attributes(model):
        if attribute.HasField("t"):
            yield attribute.t
        yield from attribute.tensors


def ports(path: Path, model: ModelProto) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """List the inputs that a caller gives, and the outputs. An initializer is no input."""
    initial = {tensor.name for tensor in model.graph.initializer}
    initial.update(tensor.values.name for tensor in model.graph.sparse_initializer)
    inputs = [value for value in model.graph.input if value.name not in initial]
    return (
        tuple(_port(path, "input", value) for value in inputs),
        tuple(_port(path, "output", value) for value in model.graph.output),
    )


def _attributes(model: ModelProto) -> Iterator[AttributeProto]:
    """Yield every attribute of every node; by a stack, so that depth costs no recursion."""
    waiting = list(_node_attributes([model.graph]))
    waiting += [a for function in model.functions for node in function.node for a in node.attribute]
    while waiting:
        attribute = waiting.pop()
        yield attribute
        inner = [attribute.g] if attribute.HasField("g") else []
        waiting += _node_attributes([*inner, *attribute.graphs])


def _node_attributes(graphs: Iterable[GraphProto]) -> Iterator[AttributeProto]:
    for graph in graphs:
        for node in graph.node:
            yield from node.attribute


def _port(path: Path, kind: str, value: ValueInfoProto) -> Port:
    what = value.type.WhichOneof("value")
    if what != "tensor_type":
        raise invalid(
            path,
            f"its {kind} {value.name!r} is {what or 'of no type'}, not a tensor",
            hint=f"Export the model so that its {kind}s are tensors (for a classifier, "
            "without a ZipMap).",
        )
    tensor = value.type.tensor_type
    names = [value.name, *(dim.dim_param for dim in tensor.shape.dim)]
    # protobuf hands out bytes where a text is not UTF-8
    if not value.name or not all(isinstance(name, str) for name in names):
        raise invalid(path, f"an {kind} has no readable name")
    return Port(value.name, onnx_name(tensor.elem_type), _shape(value))


def _shape(value: ValueInfoProto) -> tuple[Dimension, ...] | None:
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    return tuple(_dimension(dim) for dim in tensor.shape.dim)


def _dimension(dim: TensorShapeProto.Dimension) -> Dimension:
    # Some exporters write -1 for a free dimension.
    if dim.HasField("dim_value"):
        return dim.dim_value if dim.dim_value >= 0 else None
    return dim.dim_param or None
