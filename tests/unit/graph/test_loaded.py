from __future__ import annotations

from dataclasses import replace

from tests.unit.graph.built import FLOAT, array, dag, linear, node, port

from ipfs_accelerate.graph import Costs, partition, read_dag
from ipfs_accelerate.graph.living import Together
from ipfs_accelerate.graph.loaded import reused

ANYTHING = Costs(least_bytes=1, least_work_share=0)
MODEL = read_dag(linear(seed=1))
PAIR = partition({"a": MODEL, "b": read_dag(linear(seed=2))}, ANYTHING).models


def taken(made, *loaded):
    return reused("m", Together({"m": made}, None), loaded)


def test_a_model_takes_what_is_loaded_of_it():
    assert [one.digest for one in taken(MODEL, *PAIR["b"], *PAIR["a"])] == [
        one.digest for one in PAIR["a"]
    ]
    assert taken(MODEL, *PAIR["a"]) == PAIR["a"]
    assert taken(MODEL, PAIR["b"][0]) == PAIR["a"][:1]
    assert taken(MODEL) == ()


def test_the_larger_part_first_and_no_node_twice():
    (alone,) = partition({"a": MODEL}).models["a"]
    assert taken(MODEL, *PAIR["a"], alone) == (alone,)


def test_a_part_of_what_the_model_lacks_is_not_taken():
    assert taken(read_dag(linear(seed=3)), PAIR["a"][1]) == ()
    assert taken(MODEL, PAIR["a"][1]) == ()  # what it takes is made by none
    assert taken(MODEL, replace(PAIR["a"][0], whole=True)) == ()


def test_a_part_that_does_not_give_what_is_needed_is_not_taken():
    tail = [node("MatMul", "h V", "y"), node("Add", "y a", "z")]
    inside = read_dag(linear(tail=tail, outputs=["z"]))
    assert taken(inside, PAIR["a"][0]) == ()


def test_what_is_dead_is_not_taken():
    made = read_dag(linear(tail=[node("MatMul", "h V", "y"), node("Neg", "x", "z")], outputs=["z"]))
    assert taken(made, PAIR["a"][0]) == ()


def test_shapes_must_fit():
    fixed = read_dag(linear(seed=1, rows=5))
    found = taken(fixed, PAIR["a"][0])
    assert found[0].digest == PAIR["a"][0].digest
    assert found[0].inputs[0].shape == ("d0", 64)
    assert found[0].inputs[0].model_shape == (5, 64)
    narrow = partition({"a": fixed}).models["a"]
    assert taken(MODEL, *narrow) == ()
    assert taken(fixed, *narrow) == narrow
    rows = replace(narrow[0], inputs=(replace(narrow[0].inputs[0], shape=None),))
    assert taken(MODEL, rows)[0].inputs[0].shape is None
    other = replace(narrow[0], inputs=(replace(narrow[0].inputs[0], shape=(5,)),))
    assert taken(fixed, other) == ()
    unknown = dag([node("Sigmoid", "x", "y")], inputs=[port("x", FLOAT, None)])
    known = partition({"a": dag([node("Sigmoid", "x", "y")])}).models["a"]
    assert taken(unknown, *known) == ()


def test_inputs_must_be_the_same():
    part = PAIR["a"][0]
    assert taken(MODEL, replace(part, inputs=())) == ()
    assert taken(MODEL, replace(part, inputs=(replace(part.inputs[0], dtype="float16"),))) == ()


def test_a_part_of_cheap_nodes_alone_is_not_taken():
    made = dag([node("Neg", "x", "y")], [array("unused", 2)])
    (part,) = partition({"a": made}).models["a"]
    assert taken(made, part) == ()
