"""Frames written without the codec, so that the vectors do not depend on what they test."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]
ITEM_SIZE = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4} | dict.fromkeys(
    ("F16", "BF16", "I16", "U16"), 2
)


def tensor(dtype: str, shape: list[int], data: bytes) -> Json:
    """Give a tensor as the vectors write it."""
    return {"dtype": dtype, "shape": shape, "hex": data.hex()}


def with_length(header: bytes, data: bytes = b"") -> bytes:
    """Give a frame of any header whatever, padded to a multiple of 8."""
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + data


def with_entries(entries: Json, data: bytes = b"", message: str | None = None) -> bytes:
    """Give a frame whose entries need not be right."""
    text = message if message is not None else '{"type":"ping","id":1}'
    return with_length(json.dumps({"__metadata__": {"message": text}} | entries).encode(), data)


def offsets_of(tensors: Json) -> dict[str, list[int]]:
    """Give where each tensor must lie: the largest items first, ties in the order given."""
    ordered = sorted(tensors, key=lambda name: -ITEM_SIZE.get(tensors[name]["dtype"], 1))
    offsets, end = {}, 0
    for name in ordered:
        begin, end = end, end + len(tensors[name]["hex"]) // 2
        offsets[name] = [begin, end]
    return offsets


def pack(message: Json, tensors: Json | None = None) -> bytes:
    """Give a frame that is right."""
    tensors = tensors or {}
    entries: Json = {}
    data = b""
    for name, offsets in offsets_of(tensors).items():
        one = tensors[name]
        entries[name] = {"dtype": one["dtype"], "shape": one["shape"], "data_offsets": offsets}
        data += bytes.fromhex(one["hex"])
    return with_entries(entries, data, json.dumps(message))
