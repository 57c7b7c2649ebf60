from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.blocks import BlockStore
from ipfs_accelerate.models.manifest import Manifest, Port
from ipfs_accelerate.models.onnx_file import keep, read

X = np.random.default_rng(1).standard_normal((3, 32), np.float32)


def graph_of(manifest, store) -> onnx.GraphProto:
    return onnx.load_from_string(store.get(manifest.graph.cid)).graph


@pytest.mark.parametrize("typed", [False, True], ids=["raw", "typed"])
def test_large_weights_become_blocks_and_the_numbers_stay(
    store, linear, run_blocks, run_file, typed
):
    path = store.root.with_name("m.onnx")
    onnx.save(linear(typed=typed), path)
    manifest, stamps = read(path, store)
    (weight,) = manifest.weights
    assert weight.path == weight.cid
    assert weight.size == store.size(weight.cid) == 32 * 64 * 4
    assert manifest.graph.size < 2000
    assert (manifest.name, manifest.family, manifest.task) == ("m", "unknown", "tensors")
    assert manifest.precision == "fp32"
    assert manifest.inputs == (Port("x", "float32", ("batch", 32)),)
    assert manifest.outputs == (Port("y", "float32", ("batch", 64)),)
    assert list(stamps) == [str(path)]
    assert np.array_equal(run_blocks(manifest, store, {"x": X})[0], run_file(path, {"x": X})[0])


def test_the_same_model_has_the_same_key(tmp_path, linear):
    path = tmp_path / "m.onnx"
    onnx.save(linear(), path)
    keys = {read(path, BlockStore(tmp_path / name))[0].key for name in "ab"}
    assert len(keys) == 1


def test_equal_weights_are_one_block(tmp_path, store, model):
    array = np.ones((32, 32), np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "A"], ["h"]),
        helper.make_node("MatMul", ["h", "B"], ["y"]),
    ]
    value = helper.make_tensor_value_info
    onnx.save(
        model(
            nodes,
            [value("x", TensorProto.FLOAT, [1, 32])],
            [value("y", TensorProto.FLOAT, [1, 32])],
            [numpy_helper.from_array(array, name) for name in "AB"],
        ),
        tmp_path / "m.onnx",
    )
    assert len(read(tmp_path / "m.onnx", store)[0].weights) == 1


@pytest.mark.parametrize(
    ("dtype", "precision"),
    [
        (np.float16, "fp16"),
        (np.float64, "fp64"),
        (np.int8, "int8"),
        (np.uint8, "uint8"),
        (np.int16, "int16"),
        (np.uint16, "uint16"),
        (np.int32, "int32"),
        (np.int64, "int64"),
        (np.uint32, "uint32"),
        (np.uint64, "uint64"),
        (np.bool_, "bool"),
        (ml_dtypes.bfloat16, "bf16"),
        (ml_dtypes.float8_e4m3fn, "float8e4m3fn"),
        (ml_dtypes.int4, "int4"),
        (ml_dtypes.uint4, "uint4"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@pytest.mark.parametrize("typed", [False, True], ids=["raw", "typed"])
def test_every_type_survives(store, model, dtype, precision, typed):
    path = store.root.with_name("m.onnx")
    array = (np.arange(16384).reshape(128, 128) % 7).astype(dtype)
    tensor = numpy_helper.from_array(array, "W")
    if typed:
        tensor = helper.make_tensor("W", tensor.data_type, tensor.dims, array.ravel())
        assert not tensor.HasField("raw_data")
    cast = helper.make_node("Cast", ["W"], ["y"], to=TensorProto.FLOAT)
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [128, 128])
    onnx.save(model([cast], [], [output], [tensor]), path)
    manifest, _ = read(path, store)
    assert manifest.precision == precision
    (moved,) = graph_of(manifest, store).initializer
    assert moved.data_type == tensor.data_type
    (weight,) = manifest.weights
    expected = numpy_helper.from_array(array, "W").raw_data
    assert store.get(weight.cid) == expected


def test_four_bit_weights_run(tmp_path, store, model, run_blocks, run_file):
    array = (np.arange(16384).reshape(128, 128) % 16 - 8).astype(ml_dtypes.int4)
    node = helper.make_node("DequantizeLinear", ["W", "s"], ["y"])
    initializers = [
        numpy_helper.from_array(array, "W"),
        numpy_helper.from_array(np.array(0.5, np.float32), "s"),
    ]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [128, 128])
    path = tmp_path / "m.onnx"
    onnx.save(model([node], [], [output], initializers), path)
    manifest, _ = read(path, store)
    assert np.array_equal(run_blocks(manifest, store, {})[0], run_file(path, {})[0])


def test_strings_and_constants_stay_inside(tmp_path, store, model):
    big = np.ones(2048, np.float32)
    nodes = [
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(big)),
        helper.make_node("Add", ["x", "c"], ["y"]),
    ]
    value = helper.make_tensor_value_info
    words = numpy_helper.from_array(np.array(["long word"] * 600, object), "words")
    onnx.save(
        model(
            nodes,
            [value("x", TensorProto.FLOAT, [2048])],
            [value("y", TensorProto.FLOAT, [2048])],
            [words],
        ),
        tmp_path / "m.onnx",
    )
    manifest, _ = read(tmp_path / "m.onnx", store)
    assert manifest.weights == ()
    assert manifest.precision == "none"
    assert graph_of(manifest, store).initializer[0].string_data == [b"long word"] * 600


def test_weights_of_a_branch_move_too(tmp_path, store, model, run_blocks, run_file):
    value = helper.make_tensor_value_info
    out = value("out", TensorProto.FLOAT, [2048])
    branches = {
        name: helper.make_graph(
            [helper.make_node("Identity", [f"w{number}"], ["out"])],
            name,
            [],
            [out],
            [numpy_helper.from_array(np.full(2048, number, np.float32), f"w{number}")],
        )
        for number, name in enumerate(["then_branch", "else_branch"])
    }
    node = helper.make_node("If", ["which"], ["out"], **branches)
    path = tmp_path / "m.onnx"
    onnx.save(model([node], [value("which", TensorProto.BOOL, [])], [out]), path)
    manifest, _ = read(path, store)
    assert len(manifest.weights) == 2
    for which in (np.array(True), np.array(False)):  # noqa: FBT003 - the model's own input
        assert np.array_equal(
            run_blocks(manifest, store, {"which": which})[0], run_file(path, {"which": which})[0]
        )


def test_an_initializer_is_not_an_input(tmp_path, store, linear):
    made = linear()
    made.graph.input.append(helper.make_tensor_value_info("W", TensorProto.FLOAT, [32, 64]))
    onnx.save(made, tmp_path / "m.onnx")
    manifest, _ = read(tmp_path / "m.onnx", store)
    assert [port.name for port in manifest.inputs] == ["x"]


def test_shapes_of_every_kind(tmp_path, store, model):
    value = helper.make_tensor_value_info
    inputs = [
        value("a", TensorProto.FLOAT16, None),
        value("b", TensorProto.INT64, []),
        value("c", TensorProto.BOOL, ["n", None, 0]),
    ]
    node = helper.make_node("Identity", ["a"], ["y"])
    onnx.save(model([node], inputs, [value("y", TensorProto.FLOAT16, None)]), tmp_path / "m.onnx")
    manifest, _ = read(tmp_path / "m.onnx", store)
    assert manifest.inputs == (
        Port("a", "float16", None),
        Port("b", "int64", ()),
        Port("c", "bool", ("n", None, 0)),
    )


def test_an_output_that_is_no_tensor_is_refused(tmp_path, store, model):
    value = helper.make_tensor_value_info
    node = helper.make_node("SequenceConstruct", ["x"], ["y"])
    sequence = helper.make_tensor_sequence_value_info("y", TensorProto.FLOAT, None)
    onnx.save(model([node], [value("x", TensorProto.FLOAT, [1])], [sequence]), tmp_path / "m.onnx")
    with pytest.raises(ModelError, match="its output 'y' is sequence_type, not a tensor"):
        read(tmp_path / "m.onnx", store)


def refuse(path, store, match) -> None:
    with pytest.raises(ModelError, match=match) as caught:
        read(path, store)
    assert caught.value.code == "model_invalid"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "it holds no graph"),
        (b"this is not a model", "not an ONNX protobuf"),
        (b"\0" * 100, "not an ONNX protobuf"),
    ],
)
def test_bytes_that_are_no_model_are_refused(tmp_path, store, data, match):
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    refuse(path, store, match)


def test_a_model_cut_short_is_refused_wherever_it_ends(tmp_path, store, linear):
    data = linear(np.ones((32, 2), np.float32)).SerializeToString()
    path = tmp_path / "m.onnx"
    for length in range(len(data)):
        path.write_bytes(data[:length])
        refuse(path, store, "is not an ONNX model that can be run")


def test_a_file_that_cannot_be_read_is_refused(tmp_path, store):
    path = tmp_path / "m.onnx"
    path.symlink_to(path)
    refuse(path, store, "it cannot be read")
    refuse(tmp_path / "missing.onnx", store, "it cannot be read: No such file")


def test_a_graph_that_protobuf_cannot_hold_is_said(tmp_path, store):
    class Huge:
        def SerializeToString(self, deterministic):  # noqa: N802 - protobuf's own name
            raise ValueError("too large")

    with pytest.raises(ModelError, match="more than 2 GB"):
        keep(tmp_path / "m.onnx", Huge(), store)  # type: ignore[arg-type]  # stands in for 2 GB


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(data=st.data())
def test_damaged_bytes_give_a_model_or_a_model_error(tmp_path, linear, data):
    whole = bytearray(linear(np.ones((32, 2), np.float32)).SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(whole) - 1))
        whole[place] = data.draw(st.integers(0, 255))
    path = tmp_path / "m.onnx"
    path.write_bytes(whole)
    try:
        manifest, _ = read(path, BlockStore(tmp_path / "store"))
    except ModelError:
        return
    assert Manifest.from_json(manifest.to_json()) == manifest


def test_a_model_of_the_newest_ir_is_brought_to_the_one_that_the_engine_reads(
    tmp_path, store, linear
):
    model = linear()
    model.ir_version = 14
    onnx.save(model, tmp_path / "m.onnx")
    manifest, _ = read(tmp_path / "m.onnx", store)
    assert onnx.load_from_string(store.get(manifest.graph.cid)).ir_version == 13


def test_an_opset_that_the_engine_cannot_read_says_how_to_save_an_older_one(
    tmp_path, store, linear
):
    model = linear()
    model.opset_import[0].version = 28
    onnx.save(model, tmp_path / "m.onnx")
    with pytest.raises(ModelError, match="opset 28; the engine reads up to 26"):
        read(tmp_path / "m.onnx", store)
