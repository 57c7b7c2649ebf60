from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from ipfs_accelerate.errors import TensorError
from ipfs_accelerate.protocol.tensor import ITEM_SIZE
from ipfs_accelerate.tensors.dtypes import (
    DTYPES,
    ML_DTYPES,
    NOT_CARRIED,
    by_numpy,
    by_onnx,
    by_wire,
    onnx_name,
    packed_bytes,
)

PLAIN = [dtype for dtype in DTYPES if dtype.numpy not in ML_DTYPES]


def test_the_table_is_the_wires():
    assert {dtype.wire: dtype.size for dtype in DTYPES} == ITEM_SIZE


@pytest.mark.parametrize("dtype", PLAIN, ids=lambda dtype: dtype.wire)
def test_numpy_agrees(dtype):
    assert np.dtype(dtype.numpy).name == dtype.numpy
    assert np.dtype(dtype.numpy).itemsize == dtype.size


def test_every_onnx_type_has_its_name():
    aliases = {"FLOAT": "float32", "DOUBLE": "float64"}
    for name, number in TensorProto.DataType.items():
        if number != TensorProto.UNDEFINED and onnx_name(number) != f"type {number}":
            assert onnx_name(number) == aliases.get(name, name.lower())


@pytest.mark.parametrize(
    ("number", "items", "size"),
    [
        (TensorProto.FLOAT, 3, 12),
        (TensorProto.INT4, 3, 2),
        (TensorProto.INT4, 4, 2),
        (25, 5, 2),
        (TensorProto.COMPLEX128, 1, 16),
        (TensorProto.BOOL, 0, 0),
        (TensorProto.STRING, 3, None),
        (999, 3, None),
    ],
)
def test_what_items_take(number, items, size):
    assert packed_bytes(number, items) == size


def test_no_type_is_both_carried_and_not():
    assert not {dtype.number for dtype in DTYPES} & set(NOT_CARRIED)
    assert onnx_name(999) == "type 999"


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.wire)
def test_each_name_finds_its_row(dtype):
    assert by_wire(dtype.wire) is dtype
    assert by_numpy(dtype.numpy) is dtype
    assert by_onnx(dtype.onnx) is dtype


@pytest.mark.parametrize("find", [by_wire, by_numpy, by_onnx])
def test_an_unknown_name_is_refused(find):
    with pytest.raises(TensorError, match="'string' cannot be carried") as caught:
        find("string")
    assert caught.value.code == "tensor_dtype"
