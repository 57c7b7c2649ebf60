"""A small head on an encoder, as one model: a classifier, a reranker, a similarity.

The head is an ONNX file of its own, whose inputs are values of the base: its outputs, or anything
inside its graph. The base's nodes go into the new model as they are, so whoever looks finds by
their hashes that the base and every head on it share them. Nothing has to be declared.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from onnx import ModelProto, helper, inliner, load_from_string

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import catalog, head_names, onnx_file
from ipfs_accelerate.models.external import distinct
from ipfs_accelerate.models.graph_names import values_in
from ipfs_accelerate.models.head_inputs import Head, Values, dimensions, match
from ipfs_accelerate.models.onnx_parts import graphs_of, ports
from ipfs_accelerate.models.opsets import align
from ipfs_accelerate.models.pruned import prune
from ipfs_accelerate.models.refusal import invalid
from ipfs_accelerate.models.widths import cast, only_widths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.models.blocks import BlockStore
    from ipfs_accelerate.models.builds import Stamps
    from ipfs_accelerate.models.manifest import Dimension, Manifest, Port

TASK = "head"


def attach(base: Manifest, head: Path, store: BlockStore) -> tuple[Manifest, Stamps]:
    """Make one model of the base and the head; also what the head's files looked like.

    It takes the base's inputs, as far as they are still needed, and what the head wants that the
    base does not have. It gives what the head gives.
    """
    alone, stamps = onnx_file.read(head, store)
    below = load_from_string(store.get(base.graph.cid))
    above = _inlined(head, load_from_string(store.get(alone.graph.cid)))
    _check_names(base.name, below)
    _check_names(str(head), above)
    values, asked = Values.of(base, below), Head(head, alone.inputs)
    taken = match(asked, values)
    cast(above.graph, _of_other_widths(asked, values, taken))
    above = align(below, above, head)
    _resize(above, dimensions(asked, values, taken))
    names = head_names.Names(above.graph, below.graph, taken)
    head_names.check(names, asked, values)
    merged = _join(below, above, names)
    return _manifest(base, alone, head, merged, store), stamps


def _of_other_widths(head: Head, base: Values, taken: Mapping[str, str]) -> dict[str, Port]:
    """What the head's inputs are under the base, where they are integers of another width there."""
    found = {port.name: base.find(taken[port.name]) for port in head.inputs if port.name in taken}
    dtypes = {port.name: port.dtype for port in head.inputs}
    return {
        name: value
        for name, value in found.items()
        if value is not None and only_widths(value.dtype, dtypes[name])
    }


def _inlined(path: Path, model: ModelProto) -> ModelProto:
    """The head without functions of its own, whose names may mean other ones in the base."""
    if not model.functions:
        return model
    try:
        model = inliner.inline_local_functions(model, convert_version=True)
    except Exception as error:  # whatever onnx raises for a function that is none
        raise _functions(path) from error
    if model.functions:
        raise _functions(path)
    return model


def _functions(path: Path) -> ModelError:
    return ModelError(
        f"The head {path} has functions that can't be put in the places of their calls.",
        hint="Export it without functions, or inline them by onnx.inliner.",
        details={"path": str(path)},
    )


def _check_names(of: str, model: ModelProto) -> None:
    # protobuf hands out bytes where a text is not UTF-8, and takes none
    if not all(isinstance(name, str) for name in values_in(model.graph)):
        raise invalid(Path(of), "a value in it has no readable name")


def _resize(head: ModelProto, sizes: Mapping[str, Dimension]) -> None:
    """Give the head's free dimensions the names or sizes that they have under the base."""
    for value in (*head.graph.input, *head.graph.output):
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in sizes:
                size = sizes[dim.dim_param]
                dim.Clear()
                if isinstance(size, str):
                    dim.dim_param = size
                elif size is not None:
                    dim.dim_value = size


def _join(base: ModelProto, head: ModelProto, names: head_names.Names) -> ModelProto:
    """Put the head's nodes behind the base's, and leave what its outputs do not need."""
    outputs = [type(value).FromString(value.SerializeToString()) for value in head.graph.output]
    names.give(head.graph, base.graph)
    graph = base.graph
    known = values_in(graph)
    # What the base gave is an inner value now, whose type is still worth knowing.
    typed = {value.name for value in graph.value_info}
    graph.value_info.extend(value for value in graph.output if value.name not in typed)
    graph.node.extend(head.graph.node)
    for value in outputs:
        inside = names.of_head(value.name)
        if inside != value.name:
            graph.node.append(helper.make_node("Identity", [inside], [value.name]))
    graph.input.extend(value for value in head.graph.input if value.name not in known)
    graph.initializer.extend(head.graph.initializer)
    graph.sparse_initializer.extend(head.graph.sparse_initializer)
    graph.quantization_annotation.extend(head.graph.quantization_annotation)
    del graph.output[:]
    graph.output.extend(outputs)
    base.ir_version = max(base.ir_version, head.ir_version)
    prune(graph)
    return base


def _manifest(
    base: Manifest, alone: Manifest, head: Path, merged: ModelProto, store: BlockStore
) -> Manifest:
    inputs, outputs = ports(head, merged)
    kept = {port.name: port for port in base.inputs}
    heavier = base if base.weight_bytes >= alone.weight_bytes else alone
    places = {
        entry.value
        for graph in graphs_of(merged)
        for tensor in graph.initializer
        for entry in tensor.external_data
        if entry.key == "location"
    }
    weights = [weight for weight in (*base.weights, *alone.weights) if weight.path in places]
    return replace(
        base,
        name=catalog.head_name(base.name, head),
        task=TASK,
        graph=onnx_file.keep(head, merged, store),
        weights=distinct(weights),
        inputs=tuple(kept.get(port.name, port) for port in inputs),
        outputs=outputs,
        precision=heavier.precision,
        source=f"{base.source} + file {head.name}",
    )
