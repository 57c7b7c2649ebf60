"""Models of one worker laid out together, from their real graphs."""

import asyncio

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, save
from tests.unit.pool.parts import WASM

from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.components import whole
from ipfs_accelerate.pool.arranger import Arranger

ROWS, WIDTH = 5000, 64


@pytest.fixture
def store(tmp_path):
    return BlockStore(tmp_path / "store")


def manifest(folder, store, name, table):
    """A model that looks rows up in the table of this number, and has a matrix of its own."""
    value = helper.make_tensor_value_info
    tensors = {
        "table": np.random.default_rng(table).standard_normal((ROWS, WIDTH), np.float32),
        "own": np.random.default_rng(ord(name)).standard_normal((WIDTH, WIDTH), np.float32),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "ids"], ["rows"]),
            helper.make_node("MatMul", ["rows", "own"], ["y"]),
        ],
        name,
        [value("ids", TensorProto.INT64, ["n"])],
        [value("y", TensorProto.FLOAT, ["n", WIDTH])],
        [numpy_helper.from_array(array, key) for key, array in tensors.items()],
    )
    opsets = [helper.make_opsetid("", 21)]
    save(helper.make_model(graph, opset_imports=opsets, ir_version=10), folder / f"{name}.onnx")
    return resolve(folder / f"{name}.onnx", store)


def arranged(store, present, models):
    return asyncio.run(Arranger(store)(present, models, WASM))


def test_those_that_have_much_in_common_are_cut_there(tmp_path, store):
    models = {name: manifest(tmp_path, store, name, 1) for name in "ab"}
    layouts = arranged(store, {"a": whole(models["a"])}, models)
    assert [len(one.stages) for one in layouts.values()] == [2, 2]
    assert layouts["a"].keys[0] == layouts["b"].keys[0]


def test_those_that_have_nothing_in_common_stay_as_they_are(tmp_path, store):
    models = {name: manifest(tmp_path, store, name, ord(name)) for name in "ab"}
    layouts = arranged(store, {"a": whole(models["a"])}, models)
    assert layouts["a"] == whole(models["a"])
    assert layouts["b"].is_file


def test_one_that_comes_begins_with_a_part_that_is_loaded(tmp_path, store):
    models = {name: manifest(tmp_path, store, name, 1) for name in "abc"}
    two = {name: models[name] for name in "ab"}
    present = arranged(store, {"a": whole(models["a"])}, two)
    layouts = arranged(store, present, models)
    assert {one.keys[0] for one in layouts.values()} == {present["a"].keys[0]}
    assert all(layouts[name].keys == present[name].keys for name in two)


def test_what_is_lent_elsewhere_is_not_on_wasm(tmp_path, store):
    models = {name: manifest(tmp_path, store, name, 1) for name in "ab"}
    layouts = arranged(store, {"a": whole(models["a"])}, models)
    assert not any(stage.component.lent for one in layouts.values() for stage in one.stages)
