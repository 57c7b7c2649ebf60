"""A model as a case: its inputs, and what native onnxruntime makes of them."""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest
from onnx import TensorProto
from tests.browser import graphs
from tests.browser.graphs import floats, node, port

from ipfs_accelerate.errors import AccelerateError, ConfigError
from ipfs_accelerate.models import BlockStore, Port
from ipfs_accelerate.validate import native, samples
from ipfs_accelerate.validate.models import case_of


@pytest.fixture
def store(tmp_path):
    return BlockStore(tmp_path / "cache")


@pytest.fixture
def adding(tmp_path):
    return str(graphs.save(graphs.adding(), tmp_path / "adding.onnx"))


def test_a_model_without_inputs_gets_random_ones_which_is_said(adding, store):
    case = case_of(adding, {}, store)
    assert case.note == "random inputs of seed 0, free dimensions 2"
    assert case.operators == ("Add",)
    assert case.inputs["x"].shape == (2,)
    np.testing.assert_array_equal(case.right["out"], case.inputs["x"] + 1)
    np.testing.assert_array_equal(case_of(adding, {}, store).inputs["x"], case.inputs["x"])


def test_a_model_with_inputs_gets_these(adding, store):
    case = case_of(adding, {"x": np.array([5, 6], np.float32)}, store)
    assert case.note == "the inputs given"
    assert case.right["out"].tolist() == [6, 7]
    with pytest.raises(AccelerateError, match="no input 'z'"):
        case_of(adding, {"z": np.array([5], np.float32)}, store)


def test_free_dimensions_grow_until_native_onnxruntime_takes_them(tmp_path, store):
    made = graphs.model(
        [node("AveragePool", "x", "out", kernel_shape=[9, 9])],
        [floats("x", [1, 1, "height", "width"])],
        [floats("out", [1, 1, "a", "b"])],
    )
    case = case_of(str(graphs.save(made, tmp_path / "pool.onnx")), {}, store)
    assert case.inputs["x"].shape == (1, 1, 16, 16)
    assert case.note.endswith("free dimensions 16")


def test_a_model_that_native_onnxruntime_refuses_says_why(tmp_path, store):
    made = graphs.model(
        [node("Reshape", "x shape", "out")],
        [floats("x", ["n"]), port("shape", TensorProto.INT64, [1])],
        [floats("out", ["m"])],
        {},
    )
    path = str(graphs.save(made, tmp_path / "reshape.onnx"))
    refused = case_of(path, {"x": np.ones(2, np.float32), "shape": np.array([5])}, store)
    assert "native onnxruntime refuses it" in refused.failure
    assert "--input" not in refused.failure


def test_without_onnxruntime_it_is_said_how_to_get_it(monkeypatch):
    native.require()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(ConfigError, match="pip install onnxruntime"):
        native.require()


def test_random_inputs_fit_their_ports():
    ports = [
        Port("x", "float32", (None, "seq", 3)),
        Port("ids", "int64", ("batch", "seq")),
        Port("attention_mask", "int64", ("batch", "seq")),
        Port("flag", "bool", ()),
        Port("half", "float16", (4,)),
        Port("any", "uint8", None),
    ]
    made = samples.random_inputs(ports, 5)
    assert {name: (one.dtype.name, one.shape) for name, one in made.items()} == {
        "x": ("float32", (5, 5, 3)),
        "ids": ("int64", (5, 5)),
        "attention_mask": ("int64", (5, 5)),
        "flag": ("bool", ()),
        "half": ("float16", (4,)),
        "any": ("uint8", ()),
    }
    assert made["attention_mask"].min() == 1
    assert 0 <= made["ids"].min() <= made["ids"].max() < 8
    assert made["x"].std() > 0.1


def test_native_onnxruntime_keeps_no_id_of_the_device_and_sends_nothing(tmp_path, adding):
    """It does both where it may, and its file in the folder for temporary ones shows it."""
    code = (
        "import sys, numpy as np\n"
        "from ipfs_accelerate.validate import native\n"
        "print(native.run(sys.argv[1], {'x': np.ones(1, np.float32)})['out'])"
    )
    folder = tmp_path / "temporary"
    folder.mkdir()
    ours = {name: one for name, one in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run(
        [sys.executable, "-c", code, adding],
        env=ours | {"TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "[2.]\n"
    assert not list(folder.iterdir())
