"""Between NumPy arrays and the wire's tensors, without a copy wherever the bytes allow it."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ipfs_accelerate.errors import TensorError
from ipfs_accelerate.protocol.codec import Tensor
from ipfs_accelerate.tensors.dtypes import ML_DTYPES, by_numpy, by_wire

if TYPE_CHECKING:
    from numpy.typing import NDArray


def to_wire(array: NDArray[Any]) -> Tensor:
    """Make a frame's tensor of the array, over its memory where that is in order."""
    dtype = by_numpy(array.dtype.name)
    ordered = array
    if not _is_little_endian(array.dtype):
        ordered = array.astype(array.dtype.newbyteorder("<"), order="C")
    elif not array.flags.c_contiguous:
        # Unlike ascontiguousarray, a copy keeps rank 0.
        ordered = array.copy(order="C")
    data = ordered.reshape(-1).view(np.uint8).data
    return Tensor(dtype.wire, tuple(array.shape), data)


def from_wire(tensor: Tensor) -> NDArray[Any]:
    """Make a read-only array over the frame's own bytes."""
    dtype = numpy_dtype(by_wire(tensor.dtype).numpy)
    array = np.frombuffer(tensor.data, dtype).reshape(tensor.shape)
    array.flags.writeable = False
    return array


def numpy_dtype(name: str) -> np.dtype[Any]:
    """Give the little-endian NumPy dtype of this NumPy name."""
    if name in ML_DTYPES:
        brought: np.dtype[Any] = np.dtype(getattr(_ml_dtypes(name), name))
        return brought
    return np.dtype(name).newbyteorder("<")


def _is_little_endian(dtype: np.dtype[Any]) -> bool:
    return dtype.byteorder in ("<", "|") or (dtype.byteorder == "=" and sys.byteorder == "little")


def _ml_dtypes(name: str) -> Any:
    try:
        return importlib.import_module("ml_dtypes")
    except ModuleNotFoundError:
        raise TensorError(
            f"A tensor of dtype {name!r} came in, which NumPy alone cannot hold.",
            code="tensor_dtype",
            hint="Install the package that can: pip install ml_dtypes",
            details={"dtype": name},
        ) from None
