"""Small ONNX models of every dtype and shape that may cross the wire, each with its inputs."""

import numpy as np
from onnx import TensorProto
from tests.browser import graphs
from tests.browser.graphs import floats, node, port

RANDOM = np.random.default_rng(7)


def _same(dtype, onnx_type, operator="Identity"):
    made = graphs.model(
        [node(operator, "x", "out")],
        [port("x", onnx_type, ["n", 2])],
        [port("out", onnx_type, ["n", 2])],
    )
    return made, {"x": (RANDOM.random((3, 2)) * 100).astype(dtype)}


def _bool():
    made = graphs.model(
        [node("Not", "x", "out")],
        [port("x", TensorProto.BOOL, ["n"])],
        [port("out", TensorProto.BOOL, ["n"])],
    )
    return made, {"x": np.array([True, False, True])}


def _int64_beyond_floats():
    made = graphs.model(
        [node("Add", "x x", "out")],
        [port("x", TensorProto.INT64, ["n"])],
        [port("out", TensorProto.INT64, ["n"])],
    )
    return made, {"x": np.array([2**53 + 1, -(2**61), 0])}


def _float16():
    made = graphs.model(
        [node("Add", "x x", "out")],
        [port("x", TensorProto.FLOAT16, ["n"])],
        [port("out", TensorProto.FLOAT16, ["n"])],
    )
    return made, {"x": np.array([0.1, -65000 / 2, 6e-8, np.inf], np.float16)}


def _scalars():
    made = graphs.model(
        [node("Add", "x y", "out")], [floats("x", []), floats("y", [])], [floats("out", [])]
    )
    return made, {"x": np.array(1.5, np.float32), "y": np.array(2.25, np.float32)}


def _empty():
    made = graphs.model(
        [node("Relu", "x", "out")], [floats("x", ["n", 4])], [floats("out", ["n", 4])]
    )
    return made, {"x": np.zeros((0, 4), np.float32)}


def _several():
    made = graphs.model(
        [node("Add", "a b", "sum"), node("Cast", "a", "whole", to=TensorProto.INT32)],
        [floats("a", ["n"]), floats("b", ["n"])],
        [floats("sum", ["n"]), port("whole", TensorProto.INT32, ["n"])],
    )
    return made, {"a": np.array([1.9, -2.9], np.float32), "b": np.array([0.5, 0.25], np.float32)}


def _dynamic():
    made = graphs.model(
        [node("NonZero", "x", "out")],
        [floats("x", ["rows", "columns"])],
        [port("out", TensorProto.INT64, [2, "found"])],
    )
    return made, {"x": np.eye(5, 3, dtype=np.float32)}


def _weights():
    weights = RANDOM.standard_normal((64, 48)).astype(np.float32)
    made = graphs.model(
        [node("MatMul", "x weights", "out")],
        [floats("x", ["n", 64])],
        [floats("out", ["n", 48])],
        {"weights": weights},
    )
    return made, {"x": RANDOM.standard_normal((2, 64)).astype(np.float32)}


def _not_numbers():
    made, _ = _same(np.float32, TensorProto.FLOAT, "Neg")
    return made, {"x": np.array([[np.nan, np.inf], [-np.inf, -0.0]], np.float32)}


def _non_contiguous():
    made, _ = _same(np.float32, TensorProto.FLOAT, "Neg")
    return made, {"x": np.arange(12, dtype=np.float32).reshape(2, 6).T[::2].astype(">f4")}


CATALOGUE = {
    "float32": lambda: _same(np.float32, TensorProto.FLOAT, "Exp"),
    "float64": lambda: _same(np.float64, TensorProto.DOUBLE, "Neg"),
    "uint8": lambda: _same(np.uint8, TensorProto.UINT8),
    "int8": lambda: _same(np.int8, TensorProto.INT8),
    "int16": lambda: _same(np.int16, TensorProto.INT16),
    "uint16": lambda: _same(np.uint16, TensorProto.UINT16),
    "int32": lambda: _same(np.int32, TensorProto.INT32),
    "uint32": lambda: _same(np.uint32, TensorProto.UINT32),
    "uint64": lambda: _same(np.uint64, TensorProto.UINT64),
    "int64": _int64_beyond_floats,
    "bool": _bool,
    "float16": _float16,
    "scalars": _scalars,
    "empty": _empty,
    "several in and out": _several,
    "dynamic shape": _dynamic,
    "large weights": _weights,
    "nan and infinity": _not_numbers,
    "strided and big-endian": _non_contiguous,
}
