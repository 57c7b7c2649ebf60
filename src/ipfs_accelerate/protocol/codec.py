"""A frame is a safetensors file: a header with one message, then aligned tensors.

    frame = Frame(Run(...), {"input_ids": Tensor("I64", (1, 8), data)})
    decode(encode(frame)) == frame

No tensor is copied: `chunks` gives the tensors' own memory, `decode` gives views of its argument.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.header import Entry, read_header, write_header
from ipfs_accelerate.protocol.messages import Message, Part, parse, to_json
from ipfs_accelerate.protocol.tensor import ITEM_SIZE, Buffer, Tensor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = [
    "ITEM_SIZE",
    "Buffer",
    "Frame",
    "Tensor",
    "chunks",
    "decode",
    "encode",
    "frame_size",
    "part_room",
    "split",
]


@dataclass(frozen=True, slots=True)
class Frame:
    """A message and the tensors that go with it."""

    message: Message
    tensors: Mapping[str, Tensor] = field(default_factory=dict)


def chunks(frame: Frame) -> list[Buffer]:
    """Give the header, then each tensor's own memory, in the order in which they are sent."""
    ordered = sorted(frame.tensors.items(), key=lambda item: -ITEM_SIZE[item[1].dtype])
    entries, end = [], 0
    for name, tensor in ordered:
        entries.append(Entry(name, tensor.dtype, tensor.shape, end, end + tensor.nbytes))
        end += tensor.nbytes
    header = write_header(to_json(frame.message), entries)
    return [header, *(tensor.data for _, tensor in ordered)]


def encode(frame: Frame) -> bytes:
    """Give the whole frame, in the one copy that a socket takes."""
    return b"".join(chunks(frame))


def frame_size(frame: Frame) -> int:
    """Say how many bytes `encode` would give."""
    return sum(map(len, chunks(frame)))


def decode(data: Buffer) -> Frame:
    """Read a frame; its tensors are views of `data`. Bad bytes raise ProtocolError alone."""
    raw, entries, body = read_header(memoryview(data))
    tensors = {
        entry.name: Tensor(entry.dtype, entry.shape, body[entry.begin : entry.end])
        for entry in entries
    }
    return Frame(parse(raw), tensors)


def part_room(total: int, max_frame_bytes: int, stream: int) -> int:
    """Say how many bytes of a frame of `total` bytes each of its parts can carry."""
    # No part's numbers have more digits than these, so no part's header is longer.
    room = max_frame_bytes - len(_part_header(stream, total, total, total))
    if room < 1:
        raise ProtocolError(
            f"No part fits into frames of {max_frame_bytes} bytes.",
            code="too_large",
            hint="Allow frames of 1024 bytes or more.",
        )
    return room


def split(made: Sequence[Buffer], total: int, room: int, stream: int) -> Iterator[list[Buffer]]:
    """Give the parts of the frame that `made` joins to, each as slices of the memory it has."""
    views = [memoryview(chunk) for chunk in made]
    index = 0
    for offset in range(0, total, room):
        size = min(room, total - offset)
        slices: list[Buffer] = [_part_header(stream, offset, total, size)]
        while size:
            slices.append(views[index][:size])
            size -= len(slices[-1])
            views[index] = views[index][len(slices[-1]) :]
            index += not views[index]
        yield slices


def _part_header(stream: int, offset: int, total: int, size: int) -> bytes:
    return write_header(
        to_json(Part(stream, offset, total)), [Entry("part", "U8", (size,), 0, size)]
    )
