"""Tensors inside ONNX files: their bytes, and how many items a shape has."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from ipfs_accelerate.tensors.onnx_inside import bytes_inside, items_in


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "uint8", "float16"])
def test_typed_fields_hold_what_raw_data_holds(dtype):
    values = np.arange(6).astype(dtype)
    kind = helper.np_dtype_to_tensor_dtype(values.dtype)
    typed = helper.make_tensor("t", kind, [6], values.tolist())
    assert not typed.HasField("raw_data")
    assert bytes_inside(typed) == bytes_inside(numpy_helper.from_array(values)) == values.tobytes()


def test_booleans_have_a_byte_each():
    typed = TensorProto(name="t", data_type=TensorProto.BOOL, dims=[3], int32_data=[1, 0, 1])
    assert bytes_inside(typed) == b"\1\0\1"


@pytest.mark.parametrize(("sizes", "items"), [((), 1), ((2, 3), 6), ((2, 0, 1 << 62), 0)])
def test_the_items_of_a_shape(sizes, items):
    assert items_in(sizes) == items


def test_more_dimensions_than_any_tensor_has_are_not_multiplied_out():
    assert items_in([1 << 40] * 1_000_000) > 1 << 63
