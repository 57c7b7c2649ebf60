"""Frames that arrive in parts, put together in memory that is taken once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.numbers_used import NumbersUsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.protocol.messages import Part
    from ipfs_accelerate.protocol.tensor import Buffer, Tensor

MAX_STREAMS = 8


@dataclass(slots=True)
class _Stream:
    buffer: bytearray
    filled: int = 0


class Streams:
    """The streams that are open from the other side."""

    def __init__(self) -> None:
        self._open: dict[int, _Stream] = {}
        self._used = NumbersUsed()

    def __len__(self) -> int:
        return len(self._open)

    def add(
        self, part: Part, tensors: Mapping[str, Tensor], max_message_bytes: int
    ) -> bytearray | None:
        """Put one part where it belongs; give the whole frame once nothing is missing."""
        piece = _piece(part, tensors)
        stream = self._open.get(part.stream) or self._begin(part, max_message_bytes)
        if part.offset != stream.filled:
            raise ProtocolError(
                f"A part of stream {part.stream} came at {part.offset}, not at {stream.filled}.",
                code="out_of_order",
            )
        end = part.offset + len(piece)
        if part.total != len(stream.buffer) or end > part.total:
            raise ProtocolError(f"A part of stream {part.stream} does not fit into its total.")
        stream.buffer[part.offset : end] = piece
        stream.filled = end
        if end < part.total:
            return None
        del self._open[part.stream]
        return stream.buffer

    def abort(self, number: int) -> None:
        """Forget a stream; one that isn't open is passed over."""
        self._open.pop(number, None)

    def clear(self) -> None:
        """Give all memory back."""
        self._open.clear()

    def _begin(self, part: Part, max_message_bytes: int) -> _Stream:
        if part.total > max_message_bytes:
            raise ProtocolError(
                f"Stream {part.stream} is to be {part.total} bytes long; "
                f"at most {max_message_bytes} were agreed.",
                code="too_large",
            )
        if len(self._open) == MAX_STREAMS:
            raise ProtocolError(f"More than {MAX_STREAMS} streams are open.", code="too_large")
        if not self._used.take(part.stream):
            raise ProtocolError(f"Stream {part.stream} was used before.", code="out_of_order")
        stream = self._open[part.stream] = _Stream(_memory(part.total))
        return stream


def _piece(part: Part, tensors: Mapping[str, Tensor]) -> Buffer:
    tensor = tensors.get("part")
    if tensor is None or len(tensors) != 1 or tensor.dtype != "U8" or not tensor.nbytes:
        raise ProtocolError(f"A part of stream {part.stream} is not one U8 tensor named 'part'.")
    return tensor.data


def _memory(size: int) -> bytearray:
    try:
        return bytearray(size)
    except (MemoryError, OverflowError):
        raise ProtocolError(
            f"There is no memory for a message of {size} bytes.", code="too_large"
        ) from None
