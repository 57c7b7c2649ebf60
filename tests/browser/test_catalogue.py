"""Any ONNX model gives in the browser what it gives in native onnxruntime."""

import numpy as np
import onnx
import pytest
from tests.browser import graphs, native
from tests.browser.catalogue import CATALOGUE

from ipfs_accelerate import InferenceError


def assert_native(result, path, feeds):
    expected = native.run(path, feeds)
    assert list(result.output_tensors) == list(expected)
    for name, array in result.output_tensors.items():
        assert array.dtype == expected[name].dtype
        assert array.shape == expected[name].shape
        np.testing.assert_allclose(array, expected[name], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_model_is_what_it_is_natively(accelerator, tmp_path, name):
    made, feeds = CATALOGUE[name]()
    path = graphs.save(made, tmp_path / "model.onnx")
    assert_native(accelerator.run(path, feeds, remember=False), path, feeds)


@pytest.mark.parametrize("location", ["weights.bin", "beside/it.data"])
def test_weights_may_lie_outside(accelerator, tmp_path, location):
    made, feeds = CATALOGUE["large weights"]()
    path = tmp_path / "model.onnx"
    (tmp_path / location).parent.mkdir(exist_ok=True)
    onnx.save(made, path, save_as_external_data=True, location=location, size_threshold=0)
    assert (tmp_path / location).stat().st_size >= 64 * 48 * 4
    assert_native(accelerator.run(path, feeds, remember=False), path, feeds)


def test_a_file_that_changes_is_read_anew(accelerator, tmp_path):
    path = graphs.save(graphs.adding(), tmp_path / "model.onnx")
    x = {"x": np.zeros(2, np.float32)}
    assert accelerator.run(path, x, remember=False).output.tolist() == [1, 1]
    doubling = graphs.model(
        [graphs.node("Sub", "x one", "out")],
        [graphs.floats("x", ["n"])],
        [graphs.floats("out", ["n"])],
        {"one": np.ones((), np.float32)},
    )
    graphs.save(doubling, path)
    assert accelerator.run(str(path), x).output.tolist() == [-1, -1]


def test_outputs_are_read_only_views(accelerator, tmp_path):
    path = graphs.save(graphs.adding(), tmp_path / "model.onnx")
    output = accelerator.run(path, {"x": np.zeros(2, np.float32)}, remember=False).output
    assert not output.flags.writeable
    assert not output.flags.owndata


def test_plain_lists_are_numbers_too(accelerator, tmp_path):
    path = graphs.save(graphs.adding(), tmp_path / "model.onnx")
    assert accelerator.run(path, {"x": [1, 2.5]}).output.tolist() == [2, 3.5]


def test_a_tensor_on_the_worker_is_an_input(accelerator, tmp_path):
    path = graphs.save(graphs.adding(), tmp_path / "model.onnx")
    x = np.arange(5, dtype=np.float32)
    remote = accelerator.put(x)
    try:
        for _ in range(2):
            np.testing.assert_array_equal(accelerator.run(path, {"x": remote}).output, x + 1)
        np.testing.assert_array_equal(accelerator.get(remote), x)
    finally:
        assert accelerator.drop(remote) == 1
    assert accelerator.drop(remote) == 0


def test_a_remote_tensor_of_another_dtype_is_refused(accelerator, tmp_path):
    path = graphs.save(graphs.adding(), tmp_path / "model.onnx")
    remote = accelerator.put(np.arange(5))
    with pytest.raises(InferenceError, match=r"expected float32\[n\], got int64\[5\]"):
        accelerator.run(path, {"x": remote})
    assert accelerator.drop(remote) == 1


@pytest.mark.parametrize("name", ["scalars", "empty", "bool", "int64", "float16"])
def test_put_and_get_keep_every_array(accelerator, name):
    _, feeds = CATALOGUE[name]()
    for array in feeds.values():
        remote = accelerator.put(array)
        back = accelerator.get(remote)
        assert back.dtype == array.dtype
        assert back.shape == array.shape
        assert back.tobytes() == array.tobytes()
        accelerator.drop(remote)


def test_a_model_is_unloaded_and_comes_back(accelerator, tmp_path):
    path = graphs.save(graphs.adding(), tmp_path / "model.onnx")
    x = {"x": np.zeros(1, np.float32)}
    accelerator.run(path, x)
    accelerator.unload(path)
    accelerator.unload(path)
    result = accelerator.run(path, x)
    assert (result.cached, result.output.tolist()) == (False, [1])
