"""A tensor as the wire carries it: a dtype's name, a shape, and somebody's bytes."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from ipfs_accelerate.errors import ProtocolError, TensorError
from ipfs_accelerate.protocol.strict_json import MAX_NUMBER

Buffer: TypeAlias = bytes | bytearray | memoryview

ITEM_SIZE: dict[str, int] = {
    "F64": 8,
    "I64": 8,
    "U64": 8,
    "F32": 4,
    "I32": 4,
    "U32": 4,
    "F16": 2,
    "BF16": 2,
    "I16": 2,
    "U16": 2,
    "I8": 1,
    "U8": 1,
    "BOOL": 1,
    "F8_E4M3": 1,
    "F8_E5M2": 1,
}


@dataclass(frozen=True, slots=True)
class Tensor:
    """C-contiguous little-endian bytes, checked against their dtype and shape, never copied."""

    dtype: str
    shape: tuple[int, ...]
    data: Buffer

    def __post_init__(self) -> None:
        if self.dtype not in ITEM_SIZE:
            raise TensorError(
                f"A tensor of dtype {self.dtype!r} can't be sent.",
                code="tensor_dtype",
                hint=f"The wire carries {', '.join(ITEM_SIZE)}; packed data goes as U8.",
            )
        if isinstance(self.data, memoryview):
            object.__setattr__(self, "data", _flat(self.data))
        if not all(type(size) is int and 0 <= size <= MAX_NUMBER for size in self.shape):
            raise ProtocolError(f"The shape {list(self.shape)} has a size that is not a count.")
        wanted = prod(self.shape) * ITEM_SIZE[self.dtype]
        if wanted != len(self.data):
            raise ProtocolError(
                f"A tensor {self.dtype} {list(self.shape)} takes {wanted} bytes, "
                f"and was given {len(self.data)}."
            )

    @property
    def nbytes(self) -> int:
        """How many bytes the tensor takes on the wire, without its entry in the header."""
        return len(self.data)


def _flat(view: memoryview) -> memoryview:
    """Give the same memory as single bytes, so that lengths and slices count bytes."""
    if view.format == "B" and view.ndim == 1 and view.contiguous:
        return view
    if not view.c_contiguous:
        raise ProtocolError(
            "A tensor's memory is not C-contiguous.", hint="Copy it first: numpy's order='C'."
        )
    # A view with a zero in its shape refuses to be cast.
    return view.cast("B") if view.nbytes else memoryview(b"")
