from __future__ import annotations

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]  # it ships no types
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from ipfs_accelerate.models.blocks import BlockStore
from ipfs_accelerate.models.source import resolve


@pytest.fixture
def store(tmp_path):
    return BlockStore(tmp_path / "store")


@pytest.fixture(scope="session")
def minilm_store(tmp_path_factory):
    return BlockStore(tmp_path_factory.mktemp("minilm"))


@pytest.fixture(scope="session")
def minilm(minilm_store):
    return resolve("all-MiniLM-L6-v2", minilm_store)


@pytest.fixture
def linear():
    """A model y = x W + b, whose W of 8 KiB is large and whose b is small."""

    def make(weight=None, *, typed=False):
        random = np.random.default_rng(7)
        if weight is None:
            weight = random.standard_normal((32, 64), np.float32)
        bias = random.standard_normal(64, np.float32)
        initializers = [
            helper.make_tensor("W", TensorProto.FLOAT, weight.shape, weight.ravel().tolist())
            if typed
            else numpy_helper.from_array(weight, "W"),
            numpy_helper.from_array(bias, "b"),
        ]
        return _model(
            [
                helper.make_node("MatMul", ["x", "W"], ["xW"]),
                helper.make_node("Add", ["xW", "b"], ["y"]),
            ],
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 32])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 64])],
            initializers,
        )

    return make


@pytest.fixture
def model():
    return _model


@pytest.fixture
def run_blocks():
    """Run a manifest by native onnxruntime, straight from the store's blocks."""

    def run(manifest, store, feeds):
        return ort.InferenceSession(store.path(manifest.graph.cid)).run(None, feeds)

    return run


@pytest.fixture
def run_file():
    def run(path, feeds):
        return ort.InferenceSession(path).run(None, feeds)

    return run


def _model(nodes, inputs, outputs, initializers=()) -> ModelProto:
    graph = helper.make_graph(nodes, "test", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
