from __future__ import annotations

import pytest
from onnx import TensorProto, helper, numpy_helper
from tests.unit.graph.built import array, external, node, port

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.graph.canonical import Inner, attributes
from ipfs_accelerate.graph.digests import cid_of
from ipfs_accelerate.graph.operators import Imports

IMPORTS = Imports([helper.make_opsetid("", 21)])


def written(one, defaults=None):
    inner = Inner(IMPORTS, "outer {}".format)
    found = attributes(one, defaults or {}, inner)
    return [attribute.SerializeToString(deterministic=True) for attribute in found], inner


def loop(inner="i", dims="n", weights=(), doc=""):
    graph = helper.make_graph(
        [
            node("Add", f"{inner}a x", f"{inner}b", name=doc),
            node("Identity", f"{inner}go", f"{inner}on"),
        ],
        doc or "g",
        [port(f"{inner}at", 7, []), port(f"{inner}go", 9, []), port(f"{inner}a", 1, [dims, 4])],
        [port(f"{inner}on", 9, []), port(f"{inner}b", 1, None)],
        list(weights),
    )
    return node("Loop", "n _ x", "y", body=graph)


def test_names_and_docs_are_left_out():
    assert written(loop())[0] == written(loop("other", "m", doc="said"))[0]
    assert written(loop(dims=3))[0] != written(loop(dims=4))[0]
    _, inner = written(loop())
    assert list(inner.captured) == ["x"]
    assert inner.operators == {("", "Add", 14), ("", "Identity", 21)}
    assert inner.repeatable


def test_every_kind_of_attribute_counts():
    made = [
        *(node("A", "", "y", k=one) for one in (1, 2, 1.0, "1", [1], [1.0], ["1"])),
        *(
            node("A", "", "y", k=one)
            for one in (array("w", 2), [array("w", 2)], array("w", 2, seed=2))
        ),
        node("A", "", "y", k=helper.make_tensor_type_proto(1, [2])),
        node("A", "", "y", k=helper.make_graph([], "g", [], [])),
        node("A", "", "y", k=[helper.make_graph([], "g", [], [])]),
        node("A", "", "y", j=1),
    ]
    assert len({tuple(written(one)[0]) for one in made}) == len(made)


def test_sorted_and_without_defaults():
    one, other = node("A", "", "y", a=1, b=2), node("A", "", "y", a=1, b=2)
    other.attribute.reverse()
    assert written(one)[0] == written(other)[0]
    default = {"b": helper.make_attribute("b", 2).SerializeToString()}
    assert written(one, default)[0] == written(node("A", "", "y", a=1))[0]


def test_external_weights_within_are_noted():
    cid = cid_of(b"w")
    _, inner = written(loop(weights=[external("w", (2000,), cid)]))
    assert [one.cid for one in inner.weights.values()] == [cid]


def test_a_default_of_an_input_and_strings_within():
    strings = TensorProto(name="s", data_type=TensorProto.STRING, dims=[1], string_data=[b"s"])
    assert written(loop(weights=[array("ia", 2, 4), strings]))[0] != written(loop())[0]


def broken(change):
    one = loop()
    change(one.attribute[0])
    return one


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda one: setattr(one, "ref_attr_name", "k"), "refers to a function's"),
        (lambda one: one.g.node.add(op_type="Relu", input=["x"], output=["ib"]), "given twice"),
        (lambda one: one.g.sparse_initializer.add(), "sparse"),
        (lambda one: one.g.output.add(), "no name"),
    ],
)
def test_broken_graphs_are_refused(change, why):
    with pytest.raises(ModelError, match=why):
        written(broken(change))


def test_two_attributes_of_one_name_are_refused():
    one = node("A", "", "y", k=1)
    one.attribute.add().CopyFrom(one.attribute[0])
    with pytest.raises(ModelError, match="two attributes"):
        written(one)
    assert numpy_helper.to_array(array("w", 2)).shape == (2,)
