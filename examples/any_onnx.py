"""Runs an ONNX model that nobody catalogued: here one made on the spot."""

import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from ipfs_accelerate import Accelerator, InferenceError

with tempfile.TemporaryDirectory() as folder:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 3])
    node = helper.make_node("Softmax", ["x"], ["y"], axis=-1)
    path = Path(folder) / "softmax.onnx"
    graph = helper.make_graph([node], "softmax", [x], [y])
    opset = helper.make_opsetid("", 21)  # the engine reads up to 26
    onnx.save(helper.make_model(graph, opset_imports=[opset]), path)

    with Accelerator() as accelerator:
        result = accelerator.run(path, {"x": np.eye(3, dtype=np.float32)})
        print(result.output, "from", result.browser, result.backend)
        try:
            accelerator.run(path, {"x": np.eye(4, dtype=np.float32)})
        except InferenceError as error:
            print(error)
