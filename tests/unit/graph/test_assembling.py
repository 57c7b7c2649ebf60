from __future__ import annotations

import numpy as np
from onnx import helper, numpy_helper
from tests.unit.graph.built import FLOAT, INT64, array, dag, external, node, port

from ipfs_accelerate.graph.assembling import (
    Component,
    assemble,
    block_of,
    name_of,
    name_of_input,
    whole,
)
from ipfs_accelerate.graph.digests import cid_of
from ipfs_accelerate.graph.living import Living, Together

IDS = port("ids", INT64, ("b", "s"))


def part(*arguments, earlier=(), **options):
    """A whole model as one part."""
    found = dag(*arguments, **options)
    models = Together({"m": found}, None)
    ends = tuple(sorted({one.digest for one in found.outputs}))
    core = frozenset(models.living["m"].nodes.keys() - models.light)
    return found, assemble("m", Component(("m",), core, ends), models, earlier)


def test_what_a_part_takes_and_gives():
    nodes = [node("MatMul", "x w", "m"), node("Add", "m c", "y")]
    found, one = part(nodes, [array("w", 4, 4), array("c", 4)])
    (source,), (result,) = one.inputs, one.outputs
    assert (source.input, source.part, source.dtype) == ("x", None, "float32")
    assert (source.name, source.shape) == (name_of_input("x"), ("d0", 4))
    assert source.model_shape == ("n", 4)
    assert (result.name, result.outputs) == (name_of(found.outputs[0].digest), ("y",))
    assert result.digest == found.outputs[0].digest
    assert one.nodes == (0, 1)
    assert sorted(weight.size for weight in one.weights) == [16, 64]
    assert one.macs > 0
    assert one.repeatable
    assert one.estimated
    assert not one.whole


def test_integers_that_only_choose_rows_are_narrow():
    rows = node("Gather", "w ids", "y")
    assert [one.dtype for one in part([rows], [array("w", 9, 4)], [IDS])[1].inputs] == ["int32"]
    both = [
        node("Gather", "w ids", "g"),
        node("Cast", "ids", "c", to=FLOAT),
        node("Add", "g c", "y"),
    ]
    assert [one.dtype for one in part(both, [array("w", 9, 1)], [IDS])[1].inputs] == ["int64"]
    power = [node("Pow", "w ids", "y")]
    assert part(power, [array("w", 1)], [IDS])[1].inputs[0].dtype == "int64"
    data = [node("Gather", "ids ids", "y")]
    assert part(data, [], [IDS], outputs=[port("y", INT64)])[1].inputs[0].dtype == "int64"


def test_integers_that_a_branch_uses_are_not():
    inner = helper.make_graph([node("Cast", "ids", "i", to=FLOAT)], "g", [], [port("i")])
    nodes = [
        node("Gather", "w ids", "g"),
        node("If", "flag", "b", then_branch=inner, else_branch=inner),
        node("Add", "g b", "y"),
    ]
    found, one = part(nodes, [array("w", 9, 1)], [IDS, port("flag", 9, [])])
    assert {each.input: each.dtype for each in one.inputs} == {"ids": "int64", "flag": "bool"}
    assert found.nodes[1].captured


def test_cheap_nodes_come_along_and_given_values_do_not():
    nodes = [
        node("Neg", "x", "n"),
        node("MatMul", "n w", "m"),
        node("LayerNormalization", "m s", "h"),
        node("Sigmoid", "h", "g"),
        node("Add", "g n", "y"),
    ]
    found = dag(nodes, [array("w", 4, 4), array("s", 4)])
    models = Together({"m": found}, None)
    neg, product, norm, sigmoid, add = found.nodes
    first = Component(("m",), frozenset([product.digest, norm.digest]), norm.outputs)
    one = assemble("m", first, models, ())
    assert one.nodes == (0, 1, 2)
    second = Component(("m",), frozenset([sigmoid.digest, add.digest]), add.outputs)
    two = assemble("m", second, models, [one])
    assert sorted(two.nodes) == [0, 3, 4]
    given = two.inputs[-1]
    assert (given.part, given.output, given.name) == (0, name_of(norm.outputs[0]), given.output)
    assert (given.input, given.dtype, given.shape) == (None, "float32", ("d0", 4))
    assert neg.digest in models.light
    assert one.digest != two.digest


def test_equal_parts_have_one_digest_whatever_the_names():
    weights = [array("w", 4, 4)]
    _, one = part([node("MatMul", "x w", "y")], weights)
    _, other = part(
        [node("Identity", "x", "i"), node("MatMul", "i w", "z")],
        weights,
        [port("x", FLOAT, ("rows", 4))],
        outputs=["z"],
    )
    assert one.digest == other.digest
    assert (
        part([node("MatMul", "x w", "y")], weights, [port("x", FLOAT, (2, 4))])[1].digest
        != one.digest
    )


def test_large_weights_are_blocks_wherever_they_lie():
    inside = array("c", 2000)
    outside = external("e", (2000,), cid_of(b"e"))
    nodes = [node("Add", "x c", "a"), node("Add", "a e", "b"), node("Add", "b s", "y")]
    _, one = part(nodes, [inside, outside, array("s")], [port("x", FLOAT, (2000,))])
    assert {weight.cid for weight in one.weights} == {cid_of(inside.raw_data), cid_of(b"e"), None}
    assert {block_of(weight) for weight in one.weights} == {weight.cid for weight in one.weights}


def test_a_model_that_cannot_be_cut_is_one_part_as_it_stands():
    found = dag([node("Relu", "x", "y"), node("Identity", "x", "z")], outputs=["y", "z"])
    one = whole(Living(found, None))
    assert one.whole
    assert [(each.name, each.input, each.dtype) for each in one.inputs] == [("x", "x", "float32")]
    assert [(each.name, each.outputs) for each in one.outputs] == [("y", ("y",)), ("z", ("z",))]
    assert one.nodes == (0,)
    constant = dag([node("Identity", "c", "y")], [numpy_helper.from_array(np.zeros(2), "c")])
    assert whole(Living(constant, None)).outputs[0].dtype == ""
    assert whole(Living(constant, None)).digest != one.digest


def test_nodes_of_other_parts_are_left_out():
    found = dag([node("Relu", "x", "a"), node("Exp", "a", "y")])
    models = Together({"m": found}, None)
    first = Component(("m",), frozenset([found.nodes[0].digest]), found.nodes[0].outputs)
    assert assemble("m", first, models, ()).nodes == (0,)


def test_a_cheap_node_that_is_needed_twice_comes_once():
    nodes = [
        node("Neg", "x", "n"),
        node("Relu", "n", "r"),
        node("Exp", "n", "e"),
        node("MatMul", "r e", "y"),
    ]
    assert len(part(nodes, [], [port("x", FLOAT, (4, 4))])[1].nodes) == 4
