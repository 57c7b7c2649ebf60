"""What is known of a graph's values before it runs: dtypes and shapes, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx import shape_inference

from ipfs_accelerate.graph.dag import Dimension, Shape, Value
from ipfs_accelerate.tensors.dtypes import onnx_name

if TYPE_CHECKING:
    from onnx import ModelProto, TensorShapeProto, ValueInfoProto

_MADE_UP = "unk__"
"""How onnx begins the names that it gives to dimensions it knows nothing of."""


def known_values(model: ModelProto) -> dict[str, Value]:
    """Everything that the model says of its values, or that onnx infers from it."""
    graph = _inferred(model).graph
    return {
        one.name: value
        for one in (*graph.value_info, *graph.input, *graph.output)
        if (value := value_of(one)).dtype is not None
    }


def value_of(info: ValueInfoProto) -> Value:
    """What is said of one value; nothing of what is no tensor."""
    tensor = info.type.tensor_type
    if info.type.WhichOneof("value") != "tensor_type" or not tensor.elem_type:
        return Value(None, None)
    return Value(
        onnx_name(tensor.elem_type), _shape(tensor.shape) if tensor.HasField("shape") else None
    )


def _inferred(model: ModelProto) -> ModelProto:
    try:
        return shape_inference.infer_shapes(model, data_prop=True)
    except Exception:  # noqa: BLE001 - onnx raises what C++ throws; less is known then
        return model


def _shape(shape: TensorShapeProto) -> Shape:
    return tuple(_dimension(one) for one in shape.dim)


def _dimension(dim: TensorShapeProto.Dimension) -> Dimension:
    # Some exporters write -1 for a free dimension.
    if dim.HasField("dim_value"):
        return dim.dim_value if dim.dim_value >= 0 else None
    name = dim.dim_param
    # protobuf hands out bytes where a text is not UTF-8
    known = isinstance(name, str) and name and not name.startswith(_MADE_UP)
    return name if known else None
