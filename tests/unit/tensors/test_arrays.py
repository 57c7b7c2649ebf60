from __future__ import annotations

import importlib

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ipfs_accelerate.errors import TensorError
from ipfs_accelerate.protocol.codec import Tensor
from ipfs_accelerate.tensors import arrays
from ipfs_accelerate.tensors.arrays import from_wire, to_wire
from ipfs_accelerate.tensors.dtypes import DTYPES, ML_DTYPES

NAMES = [dtype.numpy for dtype in DTYPES if dtype.numpy not in ML_DTYPES]


@given(
    hnp.arrays(
        st.sampled_from(NAMES).map(np.dtype),
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
    )
)
def test_there_and_back_is_the_same(array):
    tensor = to_wire(array)
    back = from_wire(tensor)
    assert tensor.shape == back.shape == array.shape
    assert back.dtype == array.dtype
    assert back.tobytes() == array.tobytes()
    assert not back.flags.writeable


def test_a_contiguous_array_is_not_copied():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = to_wire(array)
    array[0, 0] = 9
    assert from_wire(tensor)[0, 0] == 9
    assert np.shares_memory(from_wire(tensor), array)


def test_a_read_only_array_is_taken():
    array = np.arange(4)
    array.flags.writeable = False
    assert np.array_equal(from_wire(to_wire(array)), array)


def test_rank_0_stays_rank_0():
    assert to_wire(np.array(1.5, np.float32)) == Tensor("F32", (), b"\0\0\xc0\x3f")


@pytest.mark.parametrize("make", [lambda a: a.T, lambda a: a[:, ::2], np.asfortranarray])
def test_what_is_not_contiguous_is_put_in_order(make):
    array = make(np.arange(12, dtype=np.int64).reshape(3, 4))
    assert np.array_equal(from_wire(to_wire(array)), array)


def test_big_endian_is_turned():
    array = np.arange(3, dtype=">i4")
    tensor = to_wire(array)
    assert bytes(tensor.data) == array.astype("<i4").tobytes()
    assert np.array_equal(from_wire(tensor), array)


@pytest.mark.parametrize("name", sorted(ML_DTYPES))
def test_the_small_floats_are_carried(name):
    array = np.array([[1, -2, 0.5]], dtype=getattr(ml_dtypes, name))
    back = from_wire(to_wire(array))
    assert back.dtype == array.dtype
    assert np.array_equal(back.astype(float), [[1, -2, 0.5]])


def test_a_missing_ml_dtypes_is_said(monkeypatch):
    def fail(_name):
        raise ModuleNotFoundError

    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(TensorError, match="pip install ml_dtypes"):
        arrays.numpy_dtype("bfloat16")


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([None])])
def test_other_dtypes_are_refused(array):
    with pytest.raises(TensorError) as caught:
        to_wire(array)
    assert caught.value.code == "tensor_dtype"
