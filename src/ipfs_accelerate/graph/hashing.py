"""Gives each node of a graph its digest, and each value, by walking it once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.canonical import Inner, attributes
from ipfs_accelerate.graph.chance import by_chance
from ipfs_accelerate.graph.constants import Constants, constant
from ipfs_accelerate.graph.dag import Node
from ipfs_accelerate.graph.digests import ABSENT, cid_of, digest_of, of_tensor, of_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from onnx import AttributeProto, NodeProto

    from ipfs_accelerate.graph.dag import Weight
    from ipfs_accelerate.graph.operators import Imports, Operator

_FALSE = of_tensor("bool", (), cid_of(b"\0"))
_TRAINING = 2
"""The input of a Dropout that says whether it is being trained."""


@dataclass
class Hashing:
    """The digests of a graph's nodes and values, as far as it was walked."""

    imports: Imports
    constants: Constants
    opaque: Mapping[tuple[str, str], str]
    """functions whose nodes can't be seen, by domain and name, and what they are known by"""
    model: Callable[[], str]
    """a digest of the whole model, of which a random node's is made"""
    turned: Callable[[str, tuple[int, ...], str], str] | None = None
    values: dict[str, str] = field(default_factory=dict)
    """names to digests"""
    indices: dict[str, str] = field(default_factory=dict)
    """what the graph's integer inputs are where they choose rows, by digest"""
    nodes: dict[str, Node] = field(default_factory=dict)
    inner: dict[str, Weight] = field(default_factory=dict)
    """external weights of graphs within nodes"""
    _changing: set[str] = field(default_factory=set)
    """values that come of chance"""

    def add(self, index: int, node: NodeProto) -> None:
        """Take the next node, whose inputs have their digests by now."""
        same = self._same(node)
        if same is not None:
            self.values[node.output[0]] = same
            return
        made = self._hash(index, node)
        self.nodes.setdefault(made.digest, made)
        for name, digest in zip(node.output, made.outputs, strict=True):
            if name:
                self.values[name] = digest
        if not made.repeatable:
            self._changing.update(made.outputs)

    def _same(self, node: NodeProto) -> str | None:
        """The digest of a value that the node only names anew."""
        if constant(node) is not None:
            return self.constants.named[node.output[0]]
        one = len(node.input) == 1 and len(node.output) == 1 and node.input[0] and node.output[0]
        if not one or node.domain not in ("", "ai.onnx"):
            return None
        digest = self.values[node.input[0]]
        if node.op_type == "Identity":
            return digest
        if node.op_type == "Transpose" and digest in self.constants.weights:
            order = [list(each.ints) for each in node.attribute]
            return self.constants.turn(digest, self.turned) if order in ([], [[1, 0]]) else None
        return None

    def _hash(self, index: int, node: NodeProto) -> Node:
        operator = self.imports.operator(node.op_type, node.domain)
        inner = Inner(self.imports, self.values.__getitem__)
        written = _digest(attributes(node, operator.defaults, inner))
        inputs = tuple(self.values[name] if name else ABSENT for name in node.input)
        captured = tuple(self.values[name] for name in inner.captured)
        random = self._random(node, operator, inner, inputs)
        digest = digest_of(
            *("node", operator.domain, self._name(node), operator.version, written),
            ",".join("1" if name else "0" for name in node.output),
            *(digest_of(self.model(), index) if random else "", *self._hashed(node, inputs)),
        )
        self.inner |= inner.weights
        return Node(
            index=index,
            digest=digest,
            operator=node.op_type,
            domain=operator.domain,
            version=operator.version,
            attributes=written,
            inputs=inputs,
            outputs=tuple(
                of_value(digest, at) if one else "" for at, one in enumerate(node.output)
            ),
            captured=captured,
            inner_weights=tuple(inner.weights),
            inner_operators=tuple(sorted(inner.operators)),
            repeatable=not random and self._changing.isdisjoint((*inputs, *captured)),
        )

    def _name(self, node: NodeProto) -> str:
        return self.opaque.get((node.domain, node.op_type), node.op_type)

    def _random(
        self, node: NodeProto, operator: Operator, inner: Inner, inputs: tuple[str, ...]
    ) -> bool:
        training = len(inputs) > _TRAINING and inputs[_TRAINING] not in (ABSENT, _FALSE)
        return (
            by_chance(node, operator.version, training=training)
            or not inner.repeatable
            or (node.domain, node.op_type) in self.opaque
        )

    def _hashed(self, node: NodeProto, inputs: tuple[str, ...]) -> list[str]:
        """The inputs as they are hashed: rows are chosen alike by integers of 32 and 64 bits."""
        hashed = list(inputs)
        if node.op_type == "Gather" and node.domain in ("", "ai.onnx") and len(inputs) > 1:
            hashed[1] = self.indices.get(inputs[1], inputs[1])
        return hashed


def _digest(written: list[AttributeProto]) -> str:
    return digest_of(*(one.SerializeToString(deterministic=True) for one in written))
