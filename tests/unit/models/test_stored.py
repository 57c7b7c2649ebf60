from __future__ import annotations

import tracemalloc

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.onnx_file import read

X = np.random.default_rng(1).standard_normal((3, 32), np.float32)


@pytest.fixture
def external(tmp_path, linear):
    """A model whose weights, also the small one, lie in weights.bin beside it."""
    folder = tmp_path / "model"
    folder.mkdir()
    path = folder / "m.onnx"
    onnx.save(linear(), path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    return path


def change(path, key, value, name="W") -> None:
    model = onnx.load(path, load_external_data=False)
    for tensor in model.graph.initializer:
        if tensor.name == name:
            for entry in list(tensor.external_data):
                if entry.key == key:
                    tensor.external_data.remove(entry)
            if value is not None:
                tensor.external_data.add(key=key, value=value)
    onnx.save(model, path)


def refuse(path, store, match) -> None:
    with pytest.raises(ModelError, match=match) as caught:
        read(path, store)
    assert caught.value.code == "model_invalid"
    assert caught.value.hint


def test_weights_in_a_file_beside_it(external, store, linear, run_blocks, run_file):
    manifest, stamps = read(external, store)
    (weight,) = manifest.weights
    assert weight.size == 32 * 64 * 4
    assert sorted(stamps) == [str(external), str(external.with_name("weights.bin"))]
    graph = onnx.load_from_string(store.get(manifest.graph.cid)).graph
    small = next(tensor for tensor in graph.initializer if tensor.name == "b")
    assert len(small.raw_data) == 64 * 4
    assert not small.external_data
    assert np.array_equal(run_blocks(manifest, store, {"x": X})[0], run_file(external, {"x": X})[0])
    inside = external.with_name("inside.onnx")
    onnx.save(linear(), inside)
    assert read(inside, store)[0].weights == manifest.weights


def test_without_a_length_the_rest_of_the_file_is_meant(external, store):
    (external.parent / "w").write_bytes(bytes(100 + 32 * 64 * 4))
    change(external, "location", "w")
    change(external, "offset", "100")
    change(external, "length", None)
    assert read(external, store)[0].weights[0].size == 32 * 64 * 4


def test_a_missing_file_is_said(external, store):
    external.with_name("weights.bin").unlink()
    refuse(external, store, "weights.bin")


def test_a_file_cut_short_is_said(external, store):
    data = external.with_name("weights.bin")
    data.write_bytes(data.read_bytes()[:5000])
    refuse(external, store, "of weights.bin, which has 5000")


@pytest.mark.parametrize(
    "location", ["../secret", "/etc/passwd", "", ".", "a/../../secret", "C:\\secret", "..\\secret"]
)
def test_a_location_outside_the_folder_is_refused(external, store, location):
    (external.parent.parent / "secret").write_bytes(bytes(10_000))
    change(external, "location", location)
    refuse(external, store, "points outside the model's folder")


def test_a_link_out_of_the_folder_is_refused(external, store):
    secret = external.parent.parent / "secret"
    external.with_name("weights.bin").rename(secret)
    external.with_name("weights.bin").symlink_to(secret)
    refuse(external, store, "points outside the model's folder")


def test_a_hubs_cache_of_links_is_read(external, store):
    cache = external.parent.parent / "cache"
    snapshot = cache / "snapshots" / "main"
    snapshot.mkdir(parents=True)
    (cache / "blobs").mkdir()
    for name in ("m.onnx", "weights.bin"):
        external.with_name(name).rename(cache / "blobs" / f"hash-of-{name}")
        (snapshot / name).symlink_to(cache / "blobs" / f"hash-of-{name}")
    assert len(read(snapshot / "m.onnx", store)[0].weights) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("offset", "-1"),
        ("offset", "many"),
        ("offset", "9" * 30),
        ("length", "-1"),
        ("length", "9" * 30),
        ("length", "9" * 6000),
        ("length", ""),
        ("location", "weights\0.bin"),
        ("location", "x" * 5000),
    ],
)
def test_a_place_that_makes_no_sense_is_refused(external, store, key, value):
    change(external, key, value)
    refuse(external, store, "is not an ONNX model that can be run")


def test_a_length_that_the_shape_contradicts_is_refused(external, store):
    change(external, "length", "4096")
    refuse(external, store, "4096 bytes where its shape takes 8192")


def test_a_constant_that_lies_outside_comes_inside(tmp_path, store, model, run_blocks):
    values = np.arange(2048, dtype=np.float32)
    (tmp_path / "c.bin").write_bytes(values.tobytes())
    constant = numpy_helper.from_array(values)
    constant.ClearField("raw_data")
    constant.data_location = TensorProto.EXTERNAL
    constant.external_data.add(key="location", value="c.bin")
    node = helper.make_node("Constant", [], ["y"], value=constant)
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2048])
    onnx.save(model([node], [], [output]), tmp_path / "m.onnx")
    manifest, stamps = read(tmp_path / "m.onnx", store)
    assert manifest.weights == ()
    assert str(tmp_path / "c.bin") in stamps
    assert np.array_equal(run_blocks(manifest, store, {})[0], values)


def test_external_weights_are_held_one_at_a_time(tmp_path, store, model):
    size = 4 << 20
    (tmp_path / "w.bin").write_bytes(np.random.default_rng(2).bytes(4 * size))
    weights = []
    for number in range(4):
        weight = TensorProto(name=f"w{number}", dims=[size], data_type=TensorProto.UINT8)
        weight.data_location = TensorProto.EXTERNAL
        place = {"location": "w.bin", "offset": number * size, "length": size}
        for key, value in place.items():
            weight.external_data.add(key=key, value=str(value))
        weights.append(weight)
    node = helper.make_node("Concat", [weight.name for weight in weights], ["y"], axis=0)
    output = helper.make_tensor_value_info("y", TensorProto.UINT8, [4 * size])
    onnx.save(model([node], [], [output], weights), tmp_path / "m.onnx")
    tracemalloc.start()
    manifest, _ = read(tmp_path / "m.onnx", store)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert manifest.weight_bytes == 4 * size
    assert peak < 1.5 * size
