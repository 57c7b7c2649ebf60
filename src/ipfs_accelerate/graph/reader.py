"""Reads an ONNX model as a Merkle DAG."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.constants import constants_of
from ipfs_accelerate.graph.dag import Dag, Output, Port, Value
from ipfs_accelerate.graph.digests import INTEGERS, digest_of, of_index, of_input
from ipfs_accelerate.graph.hashing import Hashing
from ipfs_accelerate.graph.inlining import written_out
from ipfs_accelerate.graph.limits import check
from ipfs_accelerate.graph.operators import Imports
from ipfs_accelerate.graph.order import ordered
from ipfs_accelerate.graph.refusal import invalid
from ipfs_accelerate.graph.scopes import captured
from ipfs_accelerate.graph.shapes import known_values, value_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from onnx import GraphProto, ModelProto, ValueInfoProto

    Turned = Callable[[str, tuple[int, ...], str], str]


def read_dag(model: ModelProto, turned: Turned | None = None) -> Dag:
    """Read a model as the store keeps it: large weights are external data under their CIDs.

    `turned` gives the CID of a matrix's transpose from its CID, shape and dtype; it is asked only
    for weights that a Transpose turns. Its caller keeps the turned bytes as a block, since parts
    ask for them (`Weight.turned_from`).
    """
    check(model)
    model = written_out(model)
    check(model)
    _check_names(model.graph)
    ports, order = _inputs(model.graph), _order(model.graph)
    hashing = _begin(model, ports, turned)
    for index in order:
        hashing.add(index, model.graph.node[index])
    outputs = tuple(_output(one, hashing) for one in model.graph.output)
    return Dag(
        nodes=tuple(hashing.nodes.values()),
        values=_values(model, hashing),
        weights=tuple((hashing.constants.weights | hashing.inner).values()),
        inputs=ports,
        outputs=outputs,
        whole=_whole(model, hashing, outputs),
    )


def _begin(model: ModelProto, ports: tuple[Port, ...], turned: Turned | None) -> Hashing:
    functions = digest_of(*(one.SerializeToString(deterministic=True) for one in model.functions))
    hashing = Hashing(
        Imports(model.opset_import),
        constants_of(model.graph),
        {(one.domain, one.name): f"{functions} {one.name}" for one in model.functions},
        cache(lambda: digest_of(model.graph.SerializeToString(deterministic=True))),
        turned,
    )
    hashing.values |= hashing.constants.named
    for one in model.graph.sparse_initializer:
        hashing.values[one.values.name] = digest_of("sparse", one.SerializeToString())
    for port in ports:
        hashing.values[port.name] = digest = of_input(port.name, port.dtype)
        if port.dtype in INTEGERS:
            hashing.indices[digest] = of_index(port.name)
    return hashing


def _check_names(graph: GraphProto) -> None:
    ports = [*graph.input, *graph.output]
    # protobuf hands out bytes where a text is not UTF-8
    if not all(isinstance(one.name, str) and one.name for one in ports):
        raise invalid("an input or output of it has no readable name")
    if not graph.output:
        raise invalid("it has no outputs")


def _inputs(graph: GraphProto) -> tuple[Port, ...]:
    """The inputs that a caller gives: an initializer is none."""
    constant_names = {one.name for one in graph.initializer}
    constant_names.update(one.values.name for one in graph.sparse_initializer)
    return tuple(_port(one) for one in graph.input if one.name not in constant_names)


def _port(info: ValueInfoProto) -> Port:
    value = value_of(info)
    return Port(info.name, value.dtype or "", value.shape)


def _order(graph: GraphProto) -> list[int]:
    known = dict.fromkeys(one.name for one in _inputs(graph))
    if len(known) < len(_inputs(graph)):
        raise invalid("two of its inputs have one name")
    constants = [one.name for one in graph.initializer]
    constants += [one.values.name for one in graph.sparse_initializer]
    if len({*constants}) < len(constants):
        raise invalid("two of its initializers have one name")
    uses = [(*node.input, *captured(node)) for node in graph.node]
    makes = [node.output for node in graph.node]
    return ordered((*known, *constants), uses, makes)


def _output(info: ValueInfoProto, hashing: Hashing) -> Output:
    if info.name not in hashing.values:
        raise invalid(f"nothing makes its output {info.name!r}")
    return Output(info.name, hashing.values[info.name])


def _values(model: ModelProto, hashing: Hashing) -> dict[str, Value]:
    known = known_values(model)
    found: dict[str, Value] = {}
    for name, digest in hashing.values.items():
        value = known.get(name, Value(None, None))
        if digest not in hashing.constants.weights and _better(value, found.get(digest)):
            found[digest] = value
    return found


def _better(value: Value, other: Value | None) -> bool:
    """Whether more is known by one name of a value than by another."""
    return other is None or (value.dtype is not None, value.shape is not None) > (
        other.dtype is not None,
        other.shape is not None,
    )


def _whole(model: ModelProto, hashing: Hashing, outputs: tuple[Output, ...]) -> str | None:
    """Say why the model can't be cut."""
    graph = model.graph
    made = {value for node in hashing.nodes.values() for value in node.outputs}
    plain = all(value_of(one).dtype for one in (*graph.input, *graph.output))
    if not plain:
        return "an input or output of it is no tensor of a known type"
    if any(one.digest not in made for one in outputs):
        return "an output of it is an input or a weight as it stands"
    if graph.sparse_initializer:
        return "it has sparse initializers"
    if hashing.opaque:
        return "it has functions that cannot be written out"
    return None
