from __future__ import annotations

import pytest
from tests.unit.graph.built import FLOAT, array, dag, node, port

from ipfs_accelerate.graph.work import elements, macs


def work(nodes, weights=(), inputs=(), sizes=None, **options):
    return list(macs(dag(nodes, weights, inputs, **options), sizes).values())


def test_free_dimensions_are_set():
    assert elements(("batch", 3, "rows", None), {"rows": 5}) == 1 * 3 * 5 * 128
    assert elements((None, "Batch_size"), {}) == 1
    assert elements(None, {}) == 1


@pytest.mark.parametrize(
    ("nodes", "weights", "shape", "right"),
    [
        ([node("MatMul", "x w", "y")], [array("w", 6, 7)], (5, 6), 5 * 6 * 7),
        ([node("Gemm", "x w", "y", transA=1)], [array("w", 6, 7)], (6, 5), 5 * 6 * 7),
        ([node("Gemm", "x w", "y")], [array("w", 6, 7)], (0, 6), 0),
        ([node("Conv", "x w", "y")], [array("w", 8, 3, 3, 3)], (1, 3, 6, 6), 8 * 16 * 27),
        ([node("ConvTranspose", "x w", "y")], [array("w", 3, 8, 2, 2)], (1, 3, 6, 6), 108 * 32),
        (
            [node("LSTM", "x w r", "y", hidden_size=5)],
            [array("w", 1, 20, 4), array("r", 1, 20, 5)],
            (7, 2, 4),
            14 * 180,
        ),
        ([node("Relu", "x", "y")], [], (5, 6), 30),
    ],
)
def test_the_work_of_operators(nodes, weights, shape, right):
    assert work(nodes, weights, [port("x", FLOAT, shape)]) == [right]


def test_sizes_by_name():
    nodes, ports = [node("Relu", "x", "y")], [port("x", FLOAT, ("batch", "length"))]
    assert work(nodes, inputs=ports) == [128]
    assert work(nodes, inputs=ports, sizes={"batch": 2, "length": 3}) == [6]


def foreign(operator, inputs, *shapes, **attributes):
    """An operator of which onnx knows no shapes."""
    names = "abcd"[: len(shapes)]
    ports = [port(name, FLOAT, shape) for name, shape in zip(names, shapes, strict=True)]
    made = node(operator, inputs, "y", domain="com.microsoft", **attributes)
    return work([made], inputs=ports, more=[("com.microsoft", 1)])


def test_attention_goes_with_the_square_of_the_length():
    assert foreign("MultiHeadAttention", "a b", (1, 5, 8), (1, 5, 8), num_heads=2) == [2 * 40 * 5]
    assert foreign("MultiHeadAttention", "a b", (8,), (8,), num_heads=2) == [16]
    assert foreign("Attention", "a b", (1, 5, 8), (8, 24), num_heads=2) == [40 * 24 + 2 * 40 * 5]
    assert foreign("Attention", "a b", (1, 5, 8), (), num_heads=2) == [40 + 2 * 40 * 5]


def test_what_comes_out_is_guessed_where_nobody_knows():
    assert foreign("FusedMatMul", "a b", (5, 6), (6, 7)) == [5 * 6 * 7]
    assert foreign("FusedMatMul", "a b", (), ()) == [1]
    assert foreign("FusedGemm", "a b", (), ()) == [1]
    assert foreign("Strange", "a b", (5, 6), (3,)) == [30]
    assert foreign("Strange", "a", None) == [1]


def test_a_quantized_conv():
    shapes = [(1, 3, 4, 4), (), (), (8, 3, 2, 2)]
    assert foreign("QLinearConv", "a b c d", *shapes) == [48 * 12]
    assert foreign("QLinearConv", "a b", (1, 3), ()) == [3]
