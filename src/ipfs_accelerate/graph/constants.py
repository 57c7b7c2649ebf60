"""The constant tensors of a graph by digest, whether initializers or Constant nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from onnx import AttributeProto, TensorProto, numpy_helper

from ipfs_accelerate.graph.dag import Weight
from ipfs_accelerate.graph.digests import of_tensor
from ipfs_accelerate.graph.tensors import inside, raw_bytes, turned_bytes, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from onnx import GraphProto, NodeProto

_MATRIX = 2


@dataclass
class Constants:
    """A graph's constant tensors; equal ones are one, under whatever names."""

    weights: dict[str, Weight] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    """names to digests"""
    tensors: dict[str, TensorProto] = field(default_factory=dict)
    """what lies in the graph or points out of it, by digest"""

    def keep(self, name: str, tensor: TensorProto) -> None:
        """Add a tensor under a name."""
        weight = weight_of(tensor)
        self.named[name] = weight.digest
        self.weights.setdefault(weight.digest, weight)
        self.tensors.setdefault(weight.digest, tensor)

    def turn(
        self, digest: str, turned: Callable[[str, tuple[int, ...], str], str] | None
    ) -> str | None:
        """The digest of a matrix's transpose, which is a weight from now on; None if unknown."""
        weight = self.weights[digest]
        if len(weight.shape) != _MATRIX:
            return None
        result = self._turn_block(weight, turned) if weight.cid else self._turn_inside(digest)
        if result is None:
            return None
        self.weights.setdefault(result.digest, result)
        return result.digest

    def bytes_of(self, digest: str) -> bytes:
        """The raw bytes of a tensor that lies in the graph, or of one turned."""
        if digest in self.tensors:
            return raw_bytes(self.tensors[digest])
        data = self._turned(self._sources[digest])
        assert data is not None  # noqa: S101 - it was found by its turned bytes
        return data

    @cached_property
    def _sources(self) -> dict[str, str]:
        """Which matrix inside the graph has a transpose of this digest."""
        turned = ((one, self._turn_inside(one)) for one in self.tensors)
        return {weight.digest: one for one, weight in turned if weight is not None}

    def _turn_inside(self, digest: str) -> Weight | None:
        data = self._turned(digest)
        return None if data is None else self._of(digest, data)

    def _turned(self, digest: str) -> bytes | None:
        weight = self.weights[digest]
        if weight.cid or not weight.content or len(weight.shape) != _MATRIX:
            return None
        return turned_bytes(weight.dtype, weight.shape, raw_bytes(self.tensors[digest]))

    def _of(self, digest: str, data: bytes) -> Weight:
        weight = self.weights[digest]
        return inside(weight.dtype, weight.shape[::-1], data)

    @staticmethod
    def _turn_block(
        weight: Weight, turned: Callable[[str, tuple[int, ...], str], str] | None
    ) -> Weight | None:
        if turned is None or weight.cid is None:
            return None
        cid = turned(weight.cid, weight.shape, weight.dtype)
        shape = weight.shape[::-1]
        digest = of_tensor(weight.dtype, shape, cid)
        canonical = min(digest, weight.digest)
        return Weight(
            digest, canonical, cid, weight.size, weight.dtype, shape, cid, turned_from=weight.cid
        )


def constants_of(graph: GraphProto) -> Constants:
    """Collect the graph's initializers and the values of its Constant nodes."""
    found = Constants()
    for tensor in graph.initializer:
        found.keep(tensor.name, tensor)
    for node in graph.node:
        tensor_of = constant(node)
        if tensor_of is not None:
            found.keep(node.output[0], tensor_of)
    return found


def constant(node: NodeProto) -> TensorProto | None:
    """The tensor that a Constant node is; None for any other node, or a sparse value."""
    if node.op_type != "Constant" or node.domain not in ("", "ai.onnx"):
        return None
    if len(node.attribute) != 1 or len(node.output) != 1 or not node.output[0]:
        return None
    return _tensor(node.attribute[0])


def _tensor(value: AttributeProto) -> TensorProto | None:
    make = _FORMS.get((value.name, value.type))
    return None if make is None else make(value)


def _strings(items: Iterable[bytes], dims: Iterable[int]) -> TensorProto:
    return TensorProto(data_type=TensorProto.STRING, dims=dims, string_data=items)


_FORMS: dict[tuple[str, int], Callable[[AttributeProto], TensorProto]] = {
    ("value", AttributeProto.TENSOR): lambda one: one.t,
    ("value_float", AttributeProto.FLOAT): lambda one: _array(one.f, "<f4"),
    ("value_floats", AttributeProto.FLOATS): lambda one: _array(one.floats, "<f4"),
    ("value_int", AttributeProto.INT): lambda one: _array(one.i, "<i8"),
    ("value_ints", AttributeProto.INTS): lambda one: _array(one.ints, "<i8"),
    ("value_string", AttributeProto.STRING): lambda one: _strings([one.s], []),
    ("value_strings", AttributeProto.STRINGS): lambda one: _strings(
        one.strings, [len(one.strings)]
    ),
}
"""What a Constant node may be, by its attribute."""


def _array(items: object, layout: str) -> TensorProto:
    return numpy_helper.from_array(np.array(items, layout))
