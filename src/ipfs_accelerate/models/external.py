"""How a graph names a weight that lies outside it: as external data whose path is its CID."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx import StringStringEntryProto, TensorProto

from ipfs_accelerate.models.manifest import Weight

if TYPE_CHECKING:
    from ipfs_accelerate.models.blocks import BlockStore

SMALLEST = 4096
"""Bytes from which a weight is a block of its own; a smaller one costs less inside the graph."""


def move_out(tensor: TensorProto, data: bytes | memoryview, store: BlockStore) -> Weight:
    """Keep `data` as a block, and let the tensor point to it."""
    block = store.put(data)
    for field in _DATA_FIELDS:
        tensor.ClearField(field)
    tensor.data_location = TensorProto.EXTERNAL
    place = {"location": block.cid, "offset": "0", "length": str(block.size)}
    tensor.external_data.extend(
        StringStringEntryProto(key=key, value=value) for key, value in place.items()
    )
    return Weight(block.cid, block.cid, block.size)


def keep_inside(tensor: TensorProto, data: bytes) -> None:
    """Put `data` into the tensor itself."""
    for field in _DATA_FIELDS:
        tensor.ClearField(field)
    tensor.raw_data = data


def distinct(weights: list[Weight]) -> tuple[Weight, ...]:
    """Each block once, in the order of the graph: equal weights are one block."""
    return tuple({weight.cid: weight for weight in weights}.values())


_DATA_FIELDS = (
    "raw_data",
    "float_data",
    "int32_data",
    "int64_data",
    "double_data",
    "uint64_data",
    "external_data",
    "data_location",
)
