from __future__ import annotations

import json

import pytest

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.header import Entry, read_header, write_header

PING = {"type": "ping", "id": 1}


def framed(text: bytes, data: bytes = b"") -> memoryview:
    text += b" " * (-len(text) % 8)
    return memoryview(len(text).to_bytes(8, "little") + text + data)


def with_entry(entry: object, data: bytes = b"", name: str = "x") -> memoryview:
    header = {"__metadata__": {"message": json.dumps(PING)}, name: entry}
    return framed(json.dumps(header).encode(), data)


def test_a_header_is_read_back():
    entries = [Entry("wide", "F64", (1,), 0, 8), Entry("größe", "U8", (1, 2), 8, 10)]
    header = write_header(PING, entries)
    message, read, body = read_header(memoryview(header + b"0123456789"))
    assert (message, read, bytes(body)) == (PING, entries, b"0123456789")
    assert len(header) % 8 == 0


def test_entries_are_given_in_the_order_of_their_bytes():
    header = write_header(PING, [Entry("b", "U8", (1,), 1, 2), Entry("a", "U8", (1,), 0, 1)])
    _, entries, _ = read_header(memoryview(header + b"ab"))
    assert [entry.name for entry in entries] == ["a", "b"]


def test_a_tensor_can_not_take_the_name_of_the_metadata():
    with pytest.raises(ProtocolError, match="can't be named __metadata__"):
        write_header(PING, [Entry("__metadata__", "U8", (0,), 0, 0)])


def test_a_name_is_unicode():
    with pytest.raises(ProtocolError, match="lone surrogate"):
        write_header(PING, [Entry("\ud800", "U8", (0,), 0, 0)])


def test_a_header_is_at_most_8_mib():
    message = {"type": "goodbye", "reason": "x" * (8 << 20)}
    with pytest.raises(ProtocolError, match="Send long data as tensors") as caught:
        write_header(message, [])
    assert caught.value.code == "too_large"


U8 = {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (memoryview(b"\xff" * 16), "can't be"),
        (memoryview(b"\x07" + bytes(7)), "can't be 7 bytes"),
        (memoryview(b"\x10" + bytes(7)), "its header ends at 24"),
        (framed(b"\xff"), "not UTF-8"),
        (framed(b"[]"), "not a JSON object"),
        (framed(b"{}"), "metadata is not one message"),
        (framed(b'{"__metadata__":{"message":1}}'), "not a JSON string"),
        (framed(b'{"__metadata__":{"message":"1"}}'), "message is not a JSON object"),
        (with_entry(1), "is not a dtype, a shape and offsets"),
        (with_entry({**U8, "a": 1}, b"x"), "is not a dtype, a shape and offsets"),
        (with_entry({**U8, "dtype": "F24"}, b"x"), "is unknown"),
        (with_entry({**U8, "dtype": ["U8"]}, b"x"), "is unknown"),
        (with_entry({**U8, "shape": 1}, b"x"), "not counts"),
        (with_entry({**U8, "shape": [-1]}, b"x"), "not counts"),
        (with_entry({**U8, "data_offsets": [0]}, b"x"), "not counts"),
        (with_entry({**U8, "data_offsets": [0, 2]}, b"xx"), "can't lie from 0 to 2"),
        (with_entry({**U8, "data_offsets": [1, 2]}, b"xx"), "leave a gap"),
        (with_entry(U8, b"xx"), "end at 1, and the data at 2"),
        (with_entry(U8, b"x", "\ud800"), "lone surrogate"),
        (
            with_entry({"dtype": "I64", "shape": [1], "data_offsets": [1, 9]}, bytes(9)),
            "can't lie from 1 to 9",
        ),
    ],
)
def test_a_bad_header_is_refused(data, reason):
    with pytest.raises(ProtocolError, match=reason) as caught:
        read_header(data)
    assert caught.value.code == "bad_frame"
