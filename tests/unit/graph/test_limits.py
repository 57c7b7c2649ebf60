from __future__ import annotations

import pytest
from onnx import AttributeProto, helper
from tests.unit.graph.built import array, model, node

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.graph import limits


def nested(depth):
    made = model([])
    graph = made.graph
    for _ in range(depth - 1):
        inner = graph.node.add(op_type="If", input=["x"], output=["y"]).attribute.add()
        inner.name, inner.type = "then_branch", AttributeProto.GRAPH
        graph = inner.g
    graph.node.add(op_type="Relu", input=["x"], output=["y"])
    return made


def test_graphs_may_be_nested_so_deep_and_no_deeper():
    limits.check(nested(limits.DEEPEST))
    with pytest.raises(ModelError, match="deeper than 30"):
        limits.check(nested(limits.DEEPEST + 1))


def test_so_many_nodes_and_no_more(monkeypatch):
    monkeypatch.setattr(limits, "MOST_NODES", 3)
    limits.check(nested(3))
    with pytest.raises(ModelError, match="more than 3 nodes"):
        limits.check(nested(4))


def test_functions_count():
    made = model([node("Relu", "x", "y")])
    made.functions.add().node.extend(nested(5).graph.node)
    made.functions[0].node[0].attribute[0].ClearField("type")
    with pytest.raises(ModelError, match="kind 0"):
        limits.check(made)


def test_an_attribute_of_no_kind_is_refused():
    made = model([node("Relu", "x", "y", alpha=1.0)])
    made.graph.node[0].attribute[0].type = 0
    with pytest.raises(ModelError, match="'alpha' is of kind 0"):
        limits.check(made)


def test_a_name_that_is_no_text_is_refused():
    made = model([node("Relu", "x", "y")]).SerializeToString().replace(b"Relu", b"Re\xff\xfe")
    broken = type(model([node("Relu", "x", "y")])).FromString(made)
    with pytest.raises(ModelError, match="no text"):
        limits.check(broken)


def test_the_graphs_of_an_attribute():
    graph = helper.make_graph([], "g", [], [])
    assert limits.graphs_of(helper.make_attribute("one", graph)) == [graph]
    assert limits.graphs_of(helper.make_attribute("some", [graph, graph])) == [graph, graph]
    assert limits.graphs_of(helper.make_attribute("t", array("t", 2))) == []
