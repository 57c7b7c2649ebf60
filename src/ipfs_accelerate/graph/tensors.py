"""The content of constant tensors, wherever they lie: their bytes, digests and turned forms."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from ipfs_accelerate.errors import TensorError
from ipfs_accelerate.graph.dag import Weight
from ipfs_accelerate.graph.digests import check_cid, cid_of, of_strings, of_tensor
from ipfs_accelerate.graph.refusal import invalid
from ipfs_accelerate.tensors.dtypes import by_onnx, onnx_name, packed_bytes
from ipfs_accelerate.tensors.onnx_inside import bytes_inside, items_in

_MATRIX = 2


def weight_of(tensor: TensorProto) -> Weight:
    """Describe a constant tensor."""
    shape = tuple(tensor.dims)
    dtype = onnx_name(tensor.data_type)
    if any(size < 0 for size in shape):
        raise invalid(f"its weight {tensor.name!r} has the shape {list(shape)}")
    if tensor.data_type == TensorProto.STRING:
        return _strings(tensor, shape)
    size = packed_bytes(tensor.data_type, items_in(shape))
    if size is None:
        raise invalid(f"its weight {tensor.name!r} is of {dtype}, which is no type")
    if tensor.data_location == TensorProto.EXTERNAL:
        cid = _location(tensor, size)
        digest = of_tensor(dtype, shape, cid)
        canonical = None if len(shape) == _MATRIX else digest
        return Weight(digest, canonical, cid, size, dtype, shape, cid)
    return inside(dtype, shape, raw_bytes(tensor))


def inside(dtype: str, shape: tuple[int, ...], data: bytes) -> Weight:
    """Describe a tensor whose bytes are at hand."""
    content = cid_of(data)
    digest = of_tensor(dtype, shape, content)
    canonical = digest
    if len(shape) == _MATRIX:
        turned = turned_bytes(dtype, shape, data)
        if turned is not None:
            canonical = min(digest, of_tensor(dtype, shape[::-1], cid_of(turned)))
    return Weight(digest, canonical, content, len(data), dtype, shape, None)


def raw_bytes(tensor: TensorProto) -> bytes:
    """The bytes of a tensor that lies inside the graph."""
    data = bytes_inside(tensor)
    wanted = packed_bytes(tensor.data_type, items_in(tensor.dims))
    if len(data) != wanted:
        raise invalid(
            f"its weight {tensor.name!r} has {len(data)} bytes where its shape takes {wanted}"
        )
    return data


def turned_bytes(dtype: str, shape: tuple[int, ...], data: bytes) -> bytes | None:
    """The bytes of a matrix's transpose; None for items of less than a byte."""
    try:
        width = by_onnx(dtype).size
    except TensorError:
        return None
    return np.frombuffer(data, f"V{width}").reshape(shape).T.tobytes()


def _strings(tensor: TensorProto, shape: tuple[int, ...]) -> Weight:
    items = list(tensor.string_data)
    if len(items) != items_in(shape):
        raise invalid(f"its weight {tensor.name!r} has not as many strings as its shape takes")
    digest = of_strings(shape, items)
    return Weight(digest, digest, "", sum(map(len, items)), "string", shape, None)


def _location(tensor: TensorProto, size: int) -> str:
    place = {entry.key: entry.value for entry in tensor.external_data}
    if place.get("offset", "0") != "0" or place.get("length", str(size)) != str(size):
        raise invalid(f"its weight {tensor.name!r} is only a piece of a block")
    return check_cid(place.get("location", ""))
