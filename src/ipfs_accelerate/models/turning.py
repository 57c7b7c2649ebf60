"""A matrix turned: its items in the order of its transpose, whatever their width."""

from __future__ import annotations

import numpy as np

from ipfs_accelerate.tensors.dtypes import DTYPES, NOT_CARRIED

_BITS = {dtype.onnx: 8 * dtype.size for dtype in DTYPES} | dict(NOT_CARRIED.values())
_BYTE = 8


def turned_bytes(data: bytes | memoryview, shape: tuple[int, ...], dtype: str) -> bytes:
    """The bytes of the transpose of a matrix with these bytes, as ONNX's raw data lays them out."""
    bits = _BITS[dtype]
    if bits >= _BYTE:
        return np.frombuffer(data, f"V{bits // _BYTE}").reshape(shape).T.tobytes()
    rows, columns = shape
    # Several items to a byte, the first in its lowest bits.
    single = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
    items = single[: rows * columns * bits].reshape(rows, columns, bits)
    return np.packbits(items.transpose(1, 0, 2), bitorder="little").tobytes()
