from __future__ import annotations

import pytest
from tests.unit.graph.built import linear, node

from ipfs_accelerate.graph import Costs, read_dag
from ipfs_accelerate.graph.assembling import Component
from ipfs_accelerate.graph.living import Together
from ipfs_accelerate.graph.worth import pays

MODELS = Together({key: read_dag(linear(seed=at)) for at, key in enumerate("ab")}, {"n": 1000})
MACS = 1000 * 64 * 64


def shared(models=MODELS, count=2):
    nodes = models.living["a"].dag.nodes[:count]
    return Component(("a", "b"), frozenset(one.digest for one in nodes), nodes[-1].outputs[:1])


@pytest.mark.parametrize(
    ("costs", "worth"),
    [
        (Costs(), True),  # half of the work
        (Costs(least_work_share=0.6), False),
        (Costs(least_work_share=0.6, least_bytes=64 * 64 * 4), True),
        (Costs(least_work_share=0.6, least_bytes=64 * 64 * 4 + 1), False),
        (Costs(gflops=2 * 2 * MACS / 1e9), True),  # a model takes a second
        (Costs(gflops=200 * MACS / 1e9, enough_share=0.6), False),
        (Costs(gflops=200 * MACS / 1e9), True),  # but half of it is done once
        (Costs(gflops=2 * 2 * MACS / 1e9, copy_mb_s=20, enough_share=0.6), True),
        (Costs(gflops=2 * 2 * MACS / 1e9, copy_mb_s=10, enough_share=0.6), False),
    ],
)
def test_a_cut_must_save_more_than_it_costs(costs, worth):
    assert pays(shared(), MODELS, costs) is worth


def test_a_model_that_is_not_cut_loses_nothing():
    tail = [node("MatMul", "h V", "y")]
    whole = Together({key: read_dag(linear(tail=tail)) for key in "ab"}, None)
    assert pays(shared(whole, 3), whole, Costs(gflops=1e9))


def test_a_model_without_work_loses_nothing():
    empty = Together({key: read_dag(linear(seed=at)) for at, key in enumerate("ab")}, {"n": 0})
    assert pays(shared(empty), empty, Costs(gflops=1))
