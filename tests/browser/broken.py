"""Files that look like models, and what is said of each."""

import numpy as np
import onnx
from tests.browser import graphs
from tests.browser.graphs import floats, node


def _weighty():
    weights = np.ones((64, 64), np.float32)
    return graphs.model(
        [node("MatMul", "x weights", "out")],
        [floats("x", ["n", 64])],
        [floats("out", ["n", 64])],
        {"weights": weights},
    )


def _whole():
    return _weighty().SerializeToString()


def _of_bytes(data):
    return lambda path: path.write_bytes(data)


def _without_its_data(path):
    onnx.save(_weighty(), path, save_as_external_data=True, location="gone.bin", size_threshold=0)
    (path.parent / "gone.bin").unlink()


def _with_half_its_data(path):
    onnx.save(_weighty(), path, save_as_external_data=True, location="half.bin", size_threshold=0)
    data = path.parent / "half.bin"
    data.write_bytes(data.read_bytes()[: 64 * 64 * 2])


def _of_another_operator(path):
    made = _weighty()
    made.graph.node[0].op_type = "Nonsense"
    onnx.save(made, path)


def _of_a_later_opset(path):
    made = _weighty()
    made.opset_import[0].version = 99
    onnx.save(made, path)


BROKEN = {
    "cut short": (_of_bytes(_whole()[:5000]), "may be cut short"),
    "cut by a byte": (_of_bytes(_whole()[:-1]), "may be cut short"),
    "garbage": (_of_bytes(b"<html>404 Not Found</html>"), "not an ONNX protobuf"),
    "zeros": (_of_bytes(bytes(1000)), "not an ONNX protobuf"),
    "empty": (_of_bytes(b""), "it holds no graph"),
    "without its data": (_without_its_data, r"weight 'weights' cannot be read: .*gone\.bin"),
    "with half its data": (_with_half_its_data, r"0 to 16384 of half\.bin, which has 8192"),
    "of another operator": (_of_another_operator, "No Op registered for Nonsense"),
    "of a later opset": (_of_a_later_opset, "opset 99; the engine reads up to 26"),
}
"""By name: what writes the file to a path, and a part of the error's message."""
