"""Estimates the work of nodes from the shapes of what they take and give. Pure.

Multiply-adds, with free dimensions set by a mapping. An estimate: it orders parts by what they
cost, and is no time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ipfs_accelerate.graph.dag import Dag, Dimension, Node

    _Sizes = Mapping[str, int]
    _Shape = tuple[int, ...]

ANY = 128
"""What a free dimension is taken for; one named batch, or a first without a name, for 1."""


def macs(dag: Dag, sizes: Mapping[str, int] | None = None) -> dict[str, int]:
    """The work of each node, by its digest."""
    shapes = _shapes(dag, sizes or {})
    return {node.digest: _node(node, shapes) for node in dag.nodes}


def elements(shape: tuple[Dimension, ...] | None, sizes: Mapping[str, int]) -> int:
    """How many items a value of this shape has; 1 where not even the rank is known."""
    return math.prod(_size(one, at, sizes) for at, one in enumerate(shape or ()))


def _shapes(dag: Dag, sizes: _Sizes) -> dict[str, _Shape]:
    found: dict[str, _Shape] = {one.digest: one.shape for one in dag.weights}
    for digest, value in dag.values.items():
        if value.shape is not None:
            found[digest] = tuple(_size(one, at, sizes) for at, one in enumerate(value.shape))
    return found


def _size(one: Dimension, at: int, sizes: _Sizes) -> int:
    if isinstance(one, int):
        return one
    if one is None:
        return ANY if at else 1
    return sizes.get(one, 1 if "batch" in one.lower() else ANY)


def _node(node: Node, shapes: Mapping[str, _Shape]) -> int:
    takes = [shapes.get(one) for one in node.inputs]
    gives = next((shapes[one] for one in node.outputs if one in shapes), None)
    rule = _RULES.get(node.operator)
    known = rule is not None and len(takes) > 1 and takes[0] is not None
    if rule is not None and known:
        return rule([one or () for one in takes], gives or takes[0] or ())
    return math.prod(gives) if gives is not None else max(map(_items, takes), default=1)


def _items(shape: _Shape | None) -> int:
    return math.prod(shape or ())


def _matmul(takes: list[_Shape], gives: _Shape) -> int:
    """Each item that comes out is a row's product; what comes out is guessed where unknown."""
    inner = takes[0][-1] if takes[0] else 1
    if gives == takes[0] and takes[1]:
        return math.prod(takes[0]) * takes[1][-1]
    return math.prod(gives) * inner


def _gemm(takes: list[_Shape], gives: _Shape) -> int:
    inner = math.prod(takes[0]) // (gives[0] or 1) if gives else 1
    return math.prod(gives) * inner


def _conv(takes: list[_Shape], gives: _Shape) -> int:
    return math.prod(gives) * math.prod(takes[1][1:])


def _quantized_conv(takes: list[_Shape], gives: _Shape) -> int:
    return math.prod(gives) * math.prod(takes[3][1:]) if len(takes) > 3 else math.prod(gives)  # noqa: PLR2004 - the weight


def _conv_transpose(takes: list[_Shape], _gives: _Shape) -> int:
    return math.prod(takes[0]) * math.prod(takes[1][1:])


def _attention(takes: list[_Shape], _gives: _Shape) -> int:
    """Scores and their mixture, for queries of [batch, ..., length, width]."""
    length = takes[0][-2] if len(takes[0]) > 1 else 1
    return 2 * math.prod(takes[0]) * length


def _projected_attention(takes: list[_Shape], gives: _Shape) -> int:
    columns = takes[1][-1] if takes[1] else 1
    return math.prod(takes[0]) * columns + _attention([gives], gives)


def _recurrent(takes: list[_Shape], _gives: _Shape) -> int:
    """Each step of each row meets every weight."""
    return math.prod(takes[0][:2]) * sum(math.prod(one) for one in takes[1:3])


_RULES: dict[str, Callable[[list[_Shape], _Shape], int]] = {
    **dict.fromkeys(("MatMul", "FusedMatMul", "MatMulInteger", "MatMulNBits"), _matmul),
    **dict.fromkeys(("QLinearMatMul", "DynamicQuantizeMatMul", "MatMulIntegerToFloat"), _matmul),
    **dict.fromkeys(("Gemm", "FusedGemm"), _gemm),
    **dict.fromkeys(("Conv", "FusedConv", "ConvInteger", "NhwcConv"), _conv),
    "QLinearConv": _quantized_conv,
    "ConvTranspose": _conv_transpose,
    **dict.fromkeys(("MultiHeadAttention", "GroupQueryAttention"), _attention),
    **dict.fromkeys(("Attention", "QAttention"), _projected_attention),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), _recurrent),
}
