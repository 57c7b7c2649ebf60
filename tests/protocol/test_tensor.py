from __future__ import annotations

import numpy as np
import pytest

from ipfs_accelerate.errors import ProtocolError, TensorError
from ipfs_accelerate.protocol.tensor import ITEM_SIZE, Tensor


@pytest.mark.parametrize(("dtype", "size"), ITEM_SIZE.items())
def test_a_size_comes_from_dtype_and_shape(dtype, size):
    assert Tensor(dtype, (2, 3), bytes(6 * size)).nbytes == 6 * size
    with pytest.raises(ProtocolError, match=rf"takes {6 * size} bytes, and was given 1\."):
        Tensor(dtype, (2, 3), b"x")


def test_an_unknown_dtype_is_a_tensor_error():
    with pytest.raises(TensorError, match="packed data goes as U8") as caught:
        Tensor("I4", (2,), b"x")
    assert caught.value.code == "tensor_dtype"


@pytest.mark.parametrize("shape", [(-1,), (1.0,), (True,), ("1",), (2**53, 0)])
def test_a_shape_is_of_counts(shape):
    with pytest.raises(ProtocolError, match="not a count"):
        Tensor("U8", shape, b"x")


def test_memory_is_not_copied():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = Tensor("F32", (2, 3), array.data)
    array[0, 0] = 7
    assert tensor.nbytes == 24
    assert np.frombuffer(tensor.data, np.float32)[0] == 7


def test_a_scalar_and_an_array_without_items():
    assert Tensor("F32", (), np.zeros((), np.float32).data).nbytes == 4
    assert Tensor("F32", (2, 0), np.zeros((2, 0), np.float32).data).nbytes == 0


def test_flat_bytes_stay_the_same_object():
    view = memoryview(b"abc")
    assert Tensor("U8", (3,), view).data is view
    data = bytearray(3)
    assert Tensor("U8", (3,), data).data is data


def test_memory_with_strides_is_refused():
    with pytest.raises(ProtocolError, match="not C-contiguous"):
        Tensor("F32", (2, 2), np.zeros((2, 4), np.float32)[:, ::2].data)


def test_tensors_are_equal_by_their_bytes():
    assert Tensor("U8", (2,), b"ab") == Tensor("U8", (2,), memoryview(b"ab"))
    assert Tensor("U8", (2,), b"ab") != Tensor("I8", (2,), b"ab")
