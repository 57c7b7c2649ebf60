"""A tensor that lies inside an ONNX file: its bytes, as ONNX's raw data lays them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_ITEMS = 2**63
# The typed field that may hold a type's items, and how each item lies in raw data. Types of 8 bits
# and fewer have one int32 per byte, so that packed ones (int4 and below) need no case of their own.
_TYPED: dict[int, tuple[str, str]] = {
    TensorProto.FLOAT: ("float_data", "<f4"),
    TensorProto.COMPLEX64: ("float_data", "<f4"),
    TensorProto.DOUBLE: ("double_data", "<f8"),
    TensorProto.COMPLEX128: ("double_data", "<f8"),
    TensorProto.INT64: ("int64_data", "<i8"),
    TensorProto.UINT64: ("uint64_data", "<u8"),
    TensorProto.UINT32: ("uint64_data", "<u4"),
    TensorProto.INT32: ("int32_data", "<i4"),
    TensorProto.INT16: ("int32_data", "<u2"),
    TensorProto.UINT16: ("int32_data", "<u2"),
    TensorProto.FLOAT16: ("int32_data", "<u2"),
    TensorProto.BFLOAT16: ("int32_data", "<u2"),
}


def bytes_inside(tensor: TensorProto) -> bytes:
    """Its bytes, whichever field holds them; not yet held against its shape."""
    if tensor.HasField("raw_data"):
        return tensor.raw_data
    field, layout = _TYPED.get(tensor.data_type, ("int32_data", "u1"))
    items = np.array(getattr(tensor, field), layout if field != "int32_data" else "<i4")
    return items.astype(layout, copy=False).tobytes()


def items_in(sizes: Sequence[int]) -> int:
    """How many items these dimensions make; of more than any file has, only that it is so many.

    The product of a file's worth of them would take minutes.
    """
    if 0 in sizes:
        return 0
    items = 1
    for size in sizes:
        items *= size
        if abs(items) > _MOST_ITEMS:
            break
    return items
