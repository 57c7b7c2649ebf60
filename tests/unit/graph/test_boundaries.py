from __future__ import annotations

import numpy as np
from onnx import numpy_helper
from tests.unit.graph.built import FLOAT, INT64, array, dag, node, port

from ipfs_accelerate.graph.boundaries import Boundaries

MS = [("com.microsoft", 1)]


def safe(nodes, weights=(), inputs=("x",), **options):
    """The operators at whose outputs a model may be cut, its own outputs left out."""
    found = dag(nodes, weights, inputs, **options)
    ends = {one.digest for one in found.outputs}
    values = Boundaries(found).safe - ends
    return sorted(found.producer_of[value].operator for value in values)


def test_a_models_outputs_are_safe():
    found = dag([node("Sigmoid", "x", "y")])
    assert Boundaries(found).safe == {found.outputs[0].digest}


def test_rows_of_a_table():
    ids = port("ids", INT64, ("n",))
    tail = node("Sigmoid", "r", "y")
    assert safe([node("Gather", "w ids", "r"), tail], [array("w", 9, 4)], [ids]) == ["Gather"]
    assert safe([node("Gather", "x ids", "r"), tail], [], ["x", ids]) == []


def test_norms_and_pools():
    norm = node("LayerNormalization", "x s", "n")
    assert safe([norm, node("Sigmoid", "n", "y")], [array("s", 4)]) == ["LayerNormalization"]
    pools = [node("GlobalAveragePool", "x", "n"), node("Sigmoid", "n", "y")]
    assert safe(pools, [], [port("x", FLOAT, (1, 3, 4, 4))]) == ["GlobalAveragePool"]


def test_a_value_of_no_known_type_is_not_safe():
    strange = node("SkipLayerNormalization", "x x s", "n", domain="com.microsoft")
    nodes = [
        node("Strange", "x", "z", domain="com.microsoft"),
        node("LayerNormalization", "z s", "n"),
        node("Sigmoid", "n", "y"),
    ]
    assert safe(nodes, [array("s", 4)], more=MS) == []
    assert safe([strange, node("Sigmoid", "n", "y")], [array("s", 4)], more=MS) == []


IMAGE = [port("x", FLOAT, (1, 3, 8, 8))]
KERNEL = array("k", 3, 3, 1, 1)


def test_the_end_of_a_convolution():
    conv = node("Conv", "x k", "c")
    tail = node("Sigmoid", "r", "y")
    assert safe([conv, node("Relu", "c", "r"), tail], [KERNEL], IMAGE) == ["Relu"]
    added = [conv, node("Add", "c x", "a"), node("Relu", "a", "r"), tail]
    assert safe(added, [KERNEL], IMAGE) == ["Relu"]
    assert safe([node("Relu", "x", "r"), tail], [], IMAGE) == []
    far = [conv, *(node("Add", f"{a} x", b) for a, b in ("cd", "de", "ef", "fg", "gh"))]
    assert safe([*far, node("Relu", "h", "r"), tail], [KERNEL], IMAGE) == []
    apart = [conv, node("Sigmoid", "c", "s"), node("Relu", "s", "r"), tail]
    assert safe(apart, [KERNEL], IMAGE) == []


def written_norm(mean="ReduceMean", root="Sqrt"):
    return [
        node(mean, "x last", "m"),
        node("Sub", "x m", "d"),
        node("Pow", "d two", "q"),
        node("ReduceMean", "q last", "v"),
        node("Add", "v some", "e"),
        node(root, "e", "o"),
        node("Div", "d o", "l"),
        node("Mul", "l s", "g"),
        node("Add", "g s", "n"),
        node("Sigmoid", "n", "y"),
    ]


WEIGHTS = [
    array("s", 4),
    numpy_helper.from_array(np.array([-1]), "last"),
    numpy_helper.from_array(np.array(2, np.float32), "two"),
    numpy_helper.from_array(np.array(1e-5, np.float32), "some"),
]


def test_the_end_of_a_norm_that_is_written_out():
    assert safe(written_norm(), WEIGHTS) == ["Add"]
    assert safe(written_norm(mean="ReduceMax"), WEIGHTS) == []
    assert safe(written_norm(root="Exp"), WEIGHTS) == []
    tail = [node("Add", "g s", "n"), node("Sigmoid", "n", "y")]
    assert safe([node("Mul", "x s", "g"), *tail], WEIGHTS) == []
    assert safe([node("Exp", "x", "g"), *tail], WEIGHTS) == []


def test_the_end_of_a_pooling():
    """A mean over a count, and a vector of length 1: what comes then are heads."""
    length = [node("ReduceL2", "x", "l", axes=[-1]), node("Max", "l least", "m")]
    tail = node("Sigmoid", "d", "y")
    least = [array("least", 1)]
    assert safe([*length, node("Div", "x m", "d"), tail], least, opset=17) == ["Div"]
    assert safe([length[0], node("Div", "x l", "d"), tail], opset=17) == ["Div"]
    assert safe([node("Div", "x least", "d"), tail], least) == []
    centred = [node("Sub", "x least", "c"), *length, node("Div", "c m", "d"), tail]
    assert safe(centred, least, opset=17) == []
