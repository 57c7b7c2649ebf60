from __future__ import annotations

from tests.unit.graph.built import FLOAT, dag, external, linear, model, node, port

from ipfs_accelerate.graph import Costs, explain, partition, read_dag
from ipfs_accelerate.graph.digests import cid_of

ANYTHING = Costs(least_bytes=1, least_work_share=0)


def outside(made):
    """The model with its matrices as external data."""
    for tensor in made.graph.initializer:
        if len(tensor.raw_data) >= 4096:
            moved = external(tensor.name, tensor.dims, cid_of(tensor.raw_data))
            tensor.CopyFrom(moved)
    return read_dag(made)


DAGS = {key: outside(linear(seed=at)) for at, key in enumerate("ab")}
SIZE = 64 * 64 * 4


def test_what_two_share_at_three_levels():
    found = explain(DAGS, ANYTHING)
    (shared,) = found.sets
    assert shared.models == ("a", "b")
    assert (shared.stored, shared.held, shared.held_twice) == (SIZE, SIZE, 0)
    assert shared.held_share == shared.stored_share == {"a": 0.5, "b": 0.5}
    plan = partition(DAGS, ANYTHING)
    assert shared.held == sum(
        weight.size for weight in plan.models["a"][0].weights if weight.cid is not None
    )
    assert shared.computed == plan.models["a"][0].macs
    assert 0.4 < shared.computed_share["a"] < 0.6
    assert [one.reason for one in found.differences] == ["other weights", "other weights"]
    assert explain(DAGS, cut=plan) == found
    assert found.estimated


def test_what_is_stored_once_may_be_held_twice():
    apart = explain(DAGS, Costs(least_work_share=0.9))
    assert (apart.sets[0].stored, apart.sets[0].held, apart.sets[0].held_twice) == (SIZE, 0, SIZE)


def test_pairs_and_all():
    found = explain({**DAGS, "c": outside(linear(seed=2))}, ANYTHING)
    assert [one.models for one in found.sets] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
        ("a", "b", "c"),
    ]


def test_models_without_weights_or_work():
    empty = dag([node("Relu", "x", "y")], inputs=[port("x", FLOAT, (0,))])
    (shared,) = explain({"a": empty, "b": empty}).sets
    assert shared.stored_share == shared.computed_share == {"a": 0.0, "b": 0.0}


def test_what_is_random_is_computed_by_each():
    nodes = [
        node("RandomNormalLike", "x", "r"),
        node("Identity", "x", "y"),
        node("Add", "r x", "z"),
    ]
    made = model(nodes, outputs=["z"])
    (shared,) = explain({"a": read_dag(made), "b": read_dag(made)}).sets
    assert shared.computed == 0
