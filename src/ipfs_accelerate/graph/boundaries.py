"""Which values a cut may go through: those that no fusion of onnxruntime crosses. Pure.

onnxruntime fuses nodes into faster ones, so a cut within such a group changes speed and last
bits. It does not fuse across the values named here.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ipfs_accelerate.graph.dag import Dag, Node

_NORMS = frozenset(
    {
        "LayerNormalization",
        "SimplifiedLayerNormalization",
        "SkipLayerNormalization",
        "SkipSimplifiedLayerNormalization",
        "EmbedLayerNormalization",
    }
)
_POOLS = frozenset({"GlobalAveragePool", "GlobalMaxPool", "MaxPool", "AveragePool"})
_UNITS = frozenset({"LpNormalization"})
# Not Sigmoid and Tanh: they are the middle of x * sigmoid(x), which is fused, and of GELU.
_ENDS = frozenset({"Relu", "Clip", "LeakyRelu", "PRelu", "Elu"})
_LENGTHS = frozenset({"Max", "Clip", "ReduceL2", "Expand"})
_CONVS = frozenset({"Conv", "ConvTranspose", "FusedConv"})
_WITHIN = frozenset({"Add", "BatchNormalization"})
_FURTHEST = 4
_WIDEST = 4
"""Inputs that are looked at; no pattern here has more."""


class Boundaries:
    """The safe values of one model."""

    def __init__(self, dag: Dag) -> None:
        self._dag = dag

    @cached_property
    def safe(self) -> frozenset[str]:
        """Every value through which the model may be cut."""
        inner = {node.outputs[0] for node in self._dag.nodes if node.outputs and self._is_end(node)}
        named = inner | {one.digest for one in self._dag.outputs}
        return frozenset(one for one in named if self._typed(one))

    def _typed(self, digest: str) -> bool:
        value = self._dag.values.get(digest)
        return value is not None and value.dtype is not None

    def _is_end(self, node: Node) -> bool:
        if node.operator in _NORMS | _POOLS | _UNITS:
            return True
        if node.operator == "Gather":
            return node.inputs[0] in self._dag.weight_of
        if node.operator in _ENDS:
            return self._after_conv(node)
        if node.operator == "Div":
            return self._by_length(node)
        return node.operator == "Add" and self._ends_norm(node)

    def _after_conv(self, node: Node) -> bool:
        """Whether it ends a chain that a convolution begins."""
        reached = [node]
        for _ in range(_FURTHEST):
            before = [made for one in reached for made in self._made(one)]
            if any(one.operator in _CONVS for one in before):
                return True
            reached = [one for one in before if one.operator in _WITHIN]
        return False

    def _ends_norm(self, node: Node) -> bool:
        """Whether it is the last Add of a layer norm that was written out."""
        return any(
            divided.operator == "Div" and self._by_deviation(divided)
            for scaled in self._made(node)
            if scaled.operator == "Mul" and self._with_weight(node) and self._with_weight(scaled)
            for divided in self._made(scaled)
        )

    def _by_deviation(self, node: Node) -> bool:
        operators = {one.operator for one in self._made(node)}
        means = {each.operator for one in self._made(node) for each in self._made(one)}
        return operators == {"Sub", "Sqrt"} and "ReduceMean" in means

    def _by_length(self, node: Node) -> bool:
        """Whether it divides a sum by a count, or a vector by its length, and no layer norm does.

        It ends the pooling of an encoder, before whatever heads there are.
        """
        producers = self._dag.producer_of
        divided, length = (producers.get(one) for one in node.inputs)
        if length is None or length.operator not in _LENGTHS:
            return False
        return divided is None or divided.operator != "Sub"

    def _with_weight(self, node: Node) -> bool:
        return any(one in self._dag.weight_of for one in node.inputs)

    def _made(self, node: Node) -> list[Node]:
        """The nodes whose values it takes."""
        producers = self._dag.producer_of
        return [producers[one] for one in node.inputs[:_WIDEST] if one in producers]
