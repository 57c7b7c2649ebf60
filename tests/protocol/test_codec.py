from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.codec import (
    ITEM_SIZE,
    Frame,
    Tensor,
    chunks,
    decode,
    encode,
    frame_size,
    part_room,
    split,
)
from ipfs_accelerate.protocol.messages import Part, Ping

PING = Ping(id=1)


@st.composite
def tensors(draw):
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=3)))
    dtype = draw(st.sampled_from(sorted(ITEM_SIZE)))
    size = int(np.prod(shape)) * ITEM_SIZE[dtype]
    return Tensor(dtype, shape, draw(st.binary(min_size=size, max_size=size)))


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
frames = st.builds(Frame, st.just(PING), st.dictionaries(names, tensors(), max_size=5))


def joined(parts: list[bytes]) -> bytes:
    whole = b""
    for part in parts:
        frame = decode(part)
        assert isinstance(frame.message, Part)
        assert frame.message.offset == len(whole)
        whole += frame.tensors["part"].data
    return whole


@given(frames)
def test_what_is_encoded_is_decoded(frame):
    data = encode(frame)
    assert decode(data) == frame
    assert decode(bytearray(data)) == frame
    assert frame_size(frame) == len(data)


@given(frames)
def test_every_tensor_is_aligned(frame):
    data = encode(frame)
    start = int.from_bytes(data[:8], "little") + 8
    offset = 0
    for entry in sorted(frame.tensors.values(), key=lambda one: -ITEM_SIZE[one.dtype]):
        assert (start + offset) % ITEM_SIZE[entry.dtype] == 0
        offset += entry.nbytes


def test_nothing_is_copied():
    array = np.arange(4, dtype=np.int64)
    frame = Frame(PING, {"x": Tensor("I64", (4,), array.data)})
    assert np.shares_memory(np.frombuffer(chunks(frame)[1], np.int64), array)
    data = bytearray(encode(frame))
    view = np.frombuffer(decode(data).tensors["x"].data, np.int64)
    assert np.shares_memory(view, np.frombuffer(data, np.uint8))


@given(frames, st.integers(300, 700))
def test_parts_make_the_frame(frame, limit):
    total = frame_size(frame)
    parts = split(chunks(frame), total, part_room(total, limit, 3), 3)
    made = [b"".join(part) for part in parts]
    assert all(len(part) <= limit for part in made)
    assert joined(made) == encode(frame)


def test_frames_without_room_for_a_part_are_refused():
    with pytest.raises(ProtocolError, match="Allow frames of 1024 bytes") as caught:
        part_room(10_000, 100, 1)
    assert caught.value.code == "too_large"


def test_a_long_frame_costs_no_memory():
    big = bytes(64 << 20)
    frame = Frame(PING, {"x": Tensor("U8", (len(big),), big)})
    tracemalloc.start()
    try:
        parts = split(chunks(frame), frame_size(frame), 1 << 20, 1)
        total = sum(sum(map(len, part)) for part in parts)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total > len(big)
    assert peak < 1 << 20


def test_a_frame_may_have_no_tensors():
    assert decode(encode(Frame(PING))) == Frame(PING, {})
