from __future__ import annotations

import sys

import pytest

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.codec import Tensor
from ipfs_accelerate.protocol.messages import Part
from ipfs_accelerate.protocol.streams import MAX_STREAMS, Streams

LIMIT = 100


def add(
    streams: Streams, stream: int, offset: int, total: int, data: bytes, *, limit: int = LIMIT
) -> object:
    part = Part(stream, offset, total)
    return streams.add(part, {"part": Tensor("U8", (len(data),), data)}, limit)


def test_parts_make_a_frame():
    streams = Streams()
    assert add(streams, 1, 0, 5, b"ab") is None
    assert add(streams, 2, 0, 2, b"xy") == b"xy"
    assert add(streams, 1, 2, 5, b"c") is None
    assert add(streams, 1, 3, 5, b"de") == b"abcde"
    assert len(streams) == 0


def test_memory_is_taken_after_the_limit_is_checked():
    with pytest.raises(ProtocolError, match="at most 100 were agreed") as caught:
        add(Streams(), 1, 0, LIMIT + 1, b"x")
    assert caught.value.code == "too_large"


@pytest.mark.parametrize("total", [sys.maxsize, 2**70])
def test_a_total_beyond_memory_is_too_large(total):
    with pytest.raises(ProtocolError, match="no memory") as caught:
        add(Streams(), 1, 0, total, b"x", limit=total)
    assert caught.value.code == "too_large"


@pytest.mark.parametrize(
    ("stream", "offset", "total", "data", "code"),
    [
        (1, 3, 10, b"x", "out_of_order"),
        (1, 0, 10, b"x", "out_of_order"),
        (1, 2, 11, b"x", "bad_frame"),
        (1, 2, 10, b"123456789", "bad_frame"),
        (1, 2, 10, b"", "bad_frame"),
        (3, 2, 10, b"x", "out_of_order"),
        (2, 0, 10, b"x", "out_of_order"),
    ],
)
def test_a_part_in_the_wrong_place(stream, offset, total, data, code):
    streams = Streams()
    add(streams, 2, 0, 1, b"x")
    add(streams, 1, 0, 10, b"ab")
    with pytest.raises(ProtocolError) as caught:
        add(streams, stream, offset, total, data)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "tensors",
    [
        {},
        {"data": Tensor("U8", (1,), b"x")},
        {"part": Tensor("I8", (1,), b"x")},
        {"part": Tensor("U8", (1,), b"x"), "more": Tensor("U8", (1,), b"x")},
    ],
)
def test_a_part_is_one_u8_tensor(tensors):
    with pytest.raises(ProtocolError, match="not one U8 tensor"):
        Streams().add(Part(1, 0, 1), tensors, LIMIT)


def test_eight_may_be_open():
    streams = Streams()
    for number in range(MAX_STREAMS):
        add(streams, number + 1, 0, 10, b"x")
    with pytest.raises(ProtocolError, match="More than 8 streams"):
        add(streams, 99, 0, 10, b"x")
    streams.abort(1)
    streams.abort(1)
    assert add(streams, 100, 0, 10, b"x") is None
    streams.clear()
    assert len(streams) == 0
