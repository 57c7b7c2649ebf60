from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from tests.unit.graph.built import FLOAT, array, dag, external, node, port

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.graph import dag_json
from ipfs_accelerate.graph.digests import cid_of


def made():
    inner = helper.make_graph([node("Mul", "a w", "i")], "g", [], [port("i", FLOAT, None)])
    nodes = [
        node("Add", "x big", "a"),
        node("ReduceSum", "a", "flag", keepdims=0),
        node("Cast", "flag", "truth", to=9),
        node("If", "truth", "y", then_branch=inner, else_branch=inner),
    ]
    return dag(nodes, [array("w", 4), external("big", (512, 4), cid_of(b"big"))])


def test_there_and_back_is_the_same():
    one = made()
    assert dag_json.load(one.to_json()) == one
    assert dag_json.load(one.to_json()).to_json() == one.to_json()


def changed(path, value):
    data = json.loads(made().to_json())
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"[" * 100_000,
        changed(["format"], 0),
        changed(["nodes"], 3),
        changed(["nodes", 0, 0], value=True),
        changed(["nodes", 0, 0], -1),
        changed(["nodes", 0, 1], None),
        changed(["nodes", 0, 6], [1]),
        changed(["nodes", 0, 10], [["", "Add"]]),
        changed(["nodes", 0, 10], 5),
        changed(["nodes", 0, 11], 1),
        changed(["nodes", 0], []),
        changed(["nodes"], []),
        changed(["weights", 0, 5], [-1]),
        changed(["inputs", 0, 2], [1.5]),
        changed(["inputs", 0, 2], "n"),
        changed(["whole"], 3),
        changed(["outputs", 0, 1], "nothing"),
    ],
)
def test_anything_else_is_refused(data):
    with pytest.raises(ModelError, match="not the JSON of a graph") as caught:
        dag_json.load(data)
    assert caught.value.code == "model_invalid"


def test_a_whole_model_may_have_values_that_no_node_makes():
    data = json.loads(dag([node("Identity", "x", "y")]).to_json())
    assert data["whole"]
    data["values"]["sparse"] = [None, None]
    data["outputs"][0][1] = "sparse"
    assert dag_json.load(json.dumps(data).encode()).outputs[0].digest == "sparse"


def test_nodes_out_of_order_are_refused():
    data = json.loads(made().to_json())
    data["nodes"].reverse()
    with pytest.raises(ModelError, match="not there yet"):
        dag_json.load(json.dumps(data).encode())


@given(st.binary() | st.text().map(str.encode))
def test_noise_is_refused(data):
    with pytest.raises(ModelError):
        dag_json.load(data)
