"""Small ONNX models, made where a test needs them."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIDE = 256
"""The side of the matrices that a slow model multiplies: about 2 ms each in a browser."""


def port(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def floats(name, shape):
    return port(name, TensorProto.FLOAT, shape)


def node(operator, inputs, outputs, **attributes):
    return helper.make_node(operator, inputs.split(), outputs.split(), **attributes)


def model(nodes, inputs, outputs, initializers=None):
    """A checked model; initializers are arrays by name."""
    tensors = [numpy_helper.from_array(one, name) for name, one in (initializers or {}).items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, tensors)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    return made


def save(made, path: Path) -> Path:
    onnx.save(made, path)
    return path


def adding():
    """out = x + 1, over any number of floats."""
    return model(
        [node("Add", "x one", "out")],
        [floats("x", ["n"])],
        [floats("out", ["n"])],
        {"one": np.ones((), np.float32)},
    )


def scaling():
    """out = x * 2, over any number of floats."""
    return model(
        [node("Mul", "x two", "out")],
        [floats("x", ["n"])],
        [floats("out", ["n"])],
        {"two": np.full((), 2, np.float32)},
    )


def determinant():
    """out = det(x + 0): the second operator is one that no device has."""
    return model(
        [node("Add", "x none", "y"), node("Det", "y", "out")],
        [floats("x", [2, 2])],
        [floats("out", [])],
        {"none": np.zeros((), np.float32)},
    )


def slow():
    """Multiplies x by the identity `times` times, which leaves it as it was, slowly."""
    body = helper.make_graph(
        [node("Identity", "go", "go_on"), node("MatMul", "y identity", "product")],
        "body",
        [
            port("i", TensorProto.INT64, []),
            port("go", TensorProto.BOOL, []),
            floats("y", [SIDE, SIDE]),
        ],
        [port("go_on", TensorProto.BOOL, []), floats("product", [SIDE, SIDE])],
    )
    return model(
        [helper.make_node("Loop", ["times", "", "x"], ["out"], body=body)],
        [port("times", TensorProto.INT64, []), floats("x", [SIDE, SIDE])],
        [floats("out", [SIDE, SIDE])],
        {"identity": np.eye(SIDE, dtype=np.float32)},
    )


def times(number):
    """The inputs of a slow model that is to take so many steps."""
    x = np.ones((SIDE, SIDE), np.float32)
    return {"times": np.array(number, np.int64), "x": x}


FOREVER = times(1_000_000)
"""Inputs that keep a slow model busy for much longer than a test."""
