from __future__ import annotations

import numpy as np
from onnx import helper, numpy_helper
from tests.unit.graph.built import FLOAT, INT64, array, dag, external, node, port

from ipfs_accelerate.graph.cheap import cheap
from ipfs_accelerate.graph.digests import cid_of
from ipfs_accelerate.graph.work import macs


def light(nodes, weights=(), inputs=(), **options):
    found = dag(nodes, weights, inputs, **options)
    digests = cheap(found, macs(found))
    return [one.operator for one in found.nodes if one.digest in digests]


def test_a_masks_arithmetic_is_cheap():
    nodes = [
        node("Cast", "mask", "f", to=1),
        node("Unsqueeze", "f one", "u"),
        node("Sub", "u c", "s"),
        node("MatMul", "s w", "m"),
        node("Add", "m c", "y"),
    ]
    weights = [numpy_helper.from_array(np.array([1]), "one"), array("c"), array("w", 128, 2)]
    ports = [port("mask", INT64, ("batch", "length"))]
    assert light(nodes, weights, ports) == ["Cast", "Unsqueeze", "Sub"]


def test_what_takes_a_large_weight_is_not():
    nodes = [node("Add", "x w", "a"), node("Mul", "x x", "b"), node("Sub", "a b", "y")]
    assert light(nodes, [external("w", (256, 4), cid_of(b"w"))]) == ["Mul"]


def test_what_is_much_is_not():
    ports = [port("x", FLOAT, (1024, 1024))]
    nodes = [node("Neg", "x", "a"), node("Abs", "a", "y")]
    assert light(nodes, inputs=ports) == ["Neg"]


def test_what_is_random_or_foreign_or_holds_graphs_is_not():
    assert light([node("RandomNormalLike", "x", "r"), node("Add", "r x", "y")]) == []
    assert light([node("Add", "x x", "y", domain="mine")], more=[("mine", 1)]) == []
    inner = helper.make_graph([node("Neg", "x", "i")], "g", [], [port("i")])
    nodes = [node("If", "x", "y", then_branch=inner, else_branch=inner)]
    assert light(nodes) == []
