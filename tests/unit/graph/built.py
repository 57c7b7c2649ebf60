"""Small models in a line or two, and their graphs under digests."""

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]  # it ships no types
from onnx import TensorProto, helper, numpy_helper

from ipfs_accelerate.graph import read_dag

FLOAT, INT32, INT64, STRING = (
    TensorProto.FLOAT,
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.STRING,
)


def node(operator, inputs, outputs, **attributes):
    """A node whose names are written with spaces between them; `_` is an absent one."""
    takes, gives = ([one.strip("_") for one in text.split()] for text in (inputs, outputs))
    return helper.make_node(operator, takes, gives, **attributes)


def port(name, dtype=FLOAT, shape=("n", 4)):
    return helper.make_tensor_value_info(name, dtype, shape)


def array(name, *shape, seed=0, dtype=np.float32):
    values = np.random.default_rng(seed).standard_normal(shape) * 3
    return numpy_helper.from_array(values.astype(dtype), name)


def external(name, shape, cid, dtype=FLOAT):
    tensor = TensorProto(name=name, dims=shape, data_type=dtype)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=cid)
    return tensor


def model(nodes, weights=(), inputs=(), *, outputs=("y",), opset=21, more=(), functions=()):
    ports = [one if not isinstance(one, str) else port(one) for one in inputs or ("x",)]
    ends = [one if not isinstance(one, str) else port(one, FLOAT, None) for one in outputs]
    graph = helper.make_graph(list(nodes), "test", ports, ends, list(weights))
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(*one) for one in more)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=list(functions))


def dag(*arguments, turned=None, **options):
    return read_dag(model(*arguments, **options), turned)


def end(*arguments, **options):
    """The digest of a model's first output."""
    return dag(*arguments, **options).outputs[0].digest


def run(made, **feeds):
    """Run a model by native onnxruntime without optimisations."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return ort.InferenceSession(made.SerializeToString(), options).run(None, feeds)


def linear(key="", *, seed=0, width=64, tail=(), outputs=("y",), rows="n"):
    """x -> a heavy MatMul -> LayerNormalization h -> what `tail` says, by default y = h W."""
    wide = [
        node("MatMul", f"x {key}W", f"{key}a"),
        node("LayerNormalization", f"{key}a {key}s", f"{key}h"),
    ]
    own = list(tail) or [node("MatMul", f"{key}h {key}V", "y")]
    weights = [
        array(f"{key}W", width, width),
        array(f"{key}s", width, seed=1),
        array(f"{key}V", width, width, seed=seed + 10),
    ]
    ports = [port("x", FLOAT, (rows, width))]
    return model([*wide, *own], weights, ports, outputs=outputs)
