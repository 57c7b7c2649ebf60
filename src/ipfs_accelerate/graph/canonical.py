"""The attributes of a node in one form, whose bytes are hashed, and written into parts.

Sorted, without defaults, tensors as raw bytes, inner graphs under names that only count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from onnx import AttributeProto, GraphProto, NodeProto, TensorProto

from ipfs_accelerate.graph.chance import by_chance
from ipfs_accelerate.graph.operators import Imports, domain_of
from ipfs_accelerate.graph.refusal import invalid
from ipfs_accelerate.graph.tensors import raw_bytes, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from onnx import ValueInfoProto

    from ipfs_accelerate.graph.dag import Weight


@dataclass
class Inner:
    """What was met in the graphs inside a node."""

    imports: Imports
    outer: Callable[[str], str]
    """what a name of the graph outside is called from now on"""
    captured: dict[str, None] = field(default_factory=dict)
    """names of the graph outside, as it calls them, in the order in which they are met"""
    weights: dict[str, Weight] = field(default_factory=dict)
    operators: set[tuple[str, str, int]] = field(default_factory=set)
    repeatable: bool = True
    named: int = 0

    def fresh(self) -> str:
        """A name for a value of an inner graph."""
        self.named += 1
        return f"i{self.named}"

    def reach(self, name: str) -> str:
        """Name a value of the graph outside."""
        if not name:
            raise invalid("an output of a graph within it has no name")
        self.captured[name] = None
        return self.outer(name)


def attributes(
    node: NodeProto, defaults: Mapping[str, bytes], inner: Inner
) -> list[AttributeProto]:
    """The node's attributes in the one form."""
    return _attributes(node, defaults, inner, _Scope({}, None))


def plain(tensor: TensorProto, inner: Inner, name: str = "") -> TensorProto:
    """A tensor in the one form; an external one is noted."""
    weight = weight_of(tensor)
    result = TensorProto(name=name, dims=tensor.dims, data_type=tensor.data_type)
    if weight.cid is not None:
        inner.weights[weight.digest] = weight
        point(result, weight.cid, weight.size)
    elif tensor.data_type == TensorProto.STRING:
        result.string_data.extend(tensor.string_data)
    else:
        result.raw_data = raw_bytes(tensor)
    return result


def point(tensor: TensorProto, cid: str, size: int) -> None:
    """Let a tensor lie in a block."""
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", cid), ("offset", "0"), ("length", str(size))):
        tensor.external_data.add(key=key, value=value)


def _attributes(
    node: NodeProto, defaults: Mapping[str, bytes], inner: Inner, names: _Scope
) -> list[AttributeProto]:
    found: dict[str, AttributeProto] = {}
    for one in node.attribute:
        if one.name in found:
            raise invalid(f"a {node.op_type} has two attributes named {one.name!r}")
        found[one.name] = _attribute(one, inner, names)
    return [
        found[name]
        for name in sorted(found)
        if defaults.get(name) != found[name].SerializeToString(deterministic=True)
    ]


def _attribute(source: AttributeProto, inner: Inner, names: _Scope) -> AttributeProto:
    if source.ref_attr_name:
        raise invalid(f"its attribute {source.name!r} refers to a function's, outside of one")
    result = AttributeProto(name=source.name, type=source.type)
    match source.type:
        case AttributeProto.TENSOR:
            result.t.CopyFrom(plain(source.t, inner))
        case AttributeProto.TENSORS:
            result.tensors.extend(plain(one, inner) for one in source.tensors)
        case AttributeProto.GRAPH:
            result.g.CopyFrom(_graph(source.g, inner, names))
        case AttributeProto.GRAPHS:
            result.graphs.extend(_graph(one, inner, names) for one in source.graphs)
        case _:
            result.CopyFrom(source)
            result.ClearField("doc_string")
    return result


def _graph(source: GraphProto, inner: Inner, outer: _Scope) -> GraphProto:
    if source.sparse_initializer:
        raise invalid("a graph within it has sparse initializers")
    own = _names(source, inner)
    names = _Scope(own, outer)
    result = GraphProto(name="inner")
    result.input.extend(_port(one, own[one.name]) for one in source.input)
    result.initializer.extend(plain(one, inner, own[one.name]) for one in source.initializer)
    result.node.extend(_node(one, inner, names) for one in source.node)
    result.output.extend(_port(one, names.find(one.name, inner)) for one in source.output)
    return result


@dataclass(frozen=True)
class _Scope:
    """The names of an inner graph; any other is one of the graphs around it."""

    own: Mapping[str, str]
    around: _Scope | None

    def find(self, name: str, inner: Inner) -> str:
        """What the value is called from now on."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.own:
                return scope.own[name]
            scope = scope.around
        return inner.reach(name)


def _names(source: GraphProto, inner: Inner) -> dict[str, str]:
    names: dict[str, str] = {}
    for port in source.input:
        _name(port.name, names, inner)
    for tensor in source.initializer:
        if tensor.name not in names:  # an initializer may be an input's default
            _name(tensor.name, names, inner)
    for node in source.node:
        for name in filter(None, node.output):
            _name(name, names, inner)
    return names


def _name(name: str, names: dict[str, str], inner: Inner) -> None:
    if name in names:
        raise invalid(f"the name {name!r} is given twice in a graph within it")
    names[name] = inner.fresh()


def _node(source: NodeProto, inner: Inner, names: _Scope) -> NodeProto:
    operator = inner.imports.operator(source.op_type, source.domain)
    inner.operators.add((operator.domain, source.op_type, operator.version))
    inner.repeatable &= not by_chance(source, operator.version, training=len(source.input) > 2)  # noqa: PLR2004 - Dropout's third input
    result = NodeProto(op_type=source.op_type, domain=domain_of(source.domain))
    result.input.extend(name and names.find(name, inner) for name in source.input)
    result.output.extend(name and names.own[name] for name in source.output)
    result.attribute.extend(_attributes(source, operator.defaults, inner, names))
    return result


def _port(source: ValueInfoProto, name: str) -> ValueInfoProto:
    result = type(source)(name=name)
    result.type.CopyFrom(source.type)
    result.type.ClearField("denotation")
    for dimension in result.type.tensor_type.shape.dim:
        dimension.Clear() if dimension.dim_param else dimension.ClearField("denotation")
    return result
