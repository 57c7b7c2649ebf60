"""Small valid models, one for each thing that a file may hold."""

import ml_dtypes
import numpy as np
from onnx import SparseTensorProto, TensorProto, helper, numpy_helper

value, node = helper.make_tensor_value_info, helper.make_node
X, Y = value("x", TensorProto.FLOAT, ["n", 32]), value("y", TensorProto.FLOAT, ["n", 32])
SQUARE = np.eye(32, dtype=np.float32)


def model(nodes, tensors=(), inputs=(X,), outputs=(Y,)):
    graph = helper.make_graph(nodes, "graph", list(inputs), list(outputs), list(tensors))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def typed(number, field, values):
    tensor = TensorProto(name="W", data_type=number, dims=[len(values)])
    getattr(tensor, field).extend(values)
    return tensor


def casting(tensor):
    """y = x + the weight, whatever its type."""
    return model([node("Cast", ["W"], ["c"], to=1), node("Add", ["x", "c"], ["y"])], [tensor])


def multiplying():
    return model([node("MatMul", ["x", "W"], ["y"])], [numpy_helper.from_array(SQUARE, "W")])


def outside():
    tensor = TensorProto(name="W", data_type=TensorProto.FLOAT, dims=[32, 32])
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in (("location", "data.bin"), ("offset", "0"), ("length", "4096")):
        tensor.external_data.add(key=key, value=text)
    return model([node("MatMul", ["x", "W"], ["y"])], [tensor])


def branching():
    out = value("out", TensorProto.FLOAT, None)
    branches = {
        name: helper.make_graph(
            [node("MatMul", ["x", name], ["out"])],
            name,
            [],
            [out],
            [numpy_helper.from_array(SQUARE * size, name)],
        )
        for size, name in enumerate(["then_branch", "else_branch"])
    }
    which = value("which", TensorProto.BOOL, [])
    return model([node("If", ["which"], ["y"], **branches)], inputs=[X, which])


def constant():
    weight = numpy_helper.from_array(SQUARE, "W")
    nodes = [node("Constant", [], ["c"], value=weight), node("MatMul", ["x", "c"], ["y"])]
    return model(nodes)


def of_a_function():
    made = model([helper.make_node("Twice", ["x"], ["y"], domain="own")])
    made.opset_import.append(helper.make_opsetid("own", 1))
    opsets = [helper.make_opsetid("", 21)]
    body = [node("Add", ["a", "a"], ["b"])]
    made.functions.append(helper.make_function("own", "Twice", ["a"], ["b"], body, opsets))
    return made


def sparse():
    made = model([node("Mul", ["x", "W"], ["y"])])
    values = numpy_helper.from_array(np.ones(2, np.float32), "W")
    indices = numpy_helper.from_array(np.array([0, 3], np.int64), "indices")
    made.graph.sparse_initializer.append(
        SparseTensorProto(values=values, indices=indices, dims=[32])
    )
    return made


SEEDS = {
    made.__name__: made().SerializeToString()
    for made in (multiplying, outside, branching, constant, of_a_function, sparse)
} | {
    name: casting(tensor).SerializeToString()
    for name, tensor in {
        "floats": typed(TensorProto.FLOAT, "float_data", [1.0] * 32),
        "halves": typed(TensorProto.FLOAT16, "int32_data", [15360] * 32),
        "uint32": typed(TensorProto.UINT32, "uint64_data", [1] * 32),
        "int64": typed(TensorProto.INT64, "int64_data", [1] * 32),
        "int4": numpy_helper.from_array(np.ones(32, ml_dtypes.int4), "W"),
    }.items()
}
"""By name, the bytes of each."""
