"""Messages out of a client's bytes, however these are cut."""

import os
import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.server.websocket_frames import (
    BINARY,
    BUFFER_BYTES,
    CLOSE,
    CONTINUATION,
    PING,
    TEXT,
    Reader,
    header,
)

MASK = b"\x01\xfe\x03\x80"
LIMIT = 1 << 20


def sent(opcode, data, *, final=True, mask=MASK):
    """A client's frame, byte by byte as the standard says."""
    if len(data) < 126:
        length = bytes([0x80 | len(data)])
    elif len(data) < 1 << 16:
        length = bytes([0x80 | 126]) + struct.pack("!H", len(data))
    else:
        length = bytes([0x80 | 127]) + struct.pack("!Q", len(data))
    masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
    return bytes([0x80 * final | opcode]) + length + mask + masked


def feed(reader, data, step=None):
    messages = []
    for start in range(0, len(data), step or len(data)):
        part = data[start : start + (step or len(data))]
        while part:
            room = reader.buffer()
            size = min(len(room), len(part))
            room[:size] = part[:size]
            messages += reader.filled(size)
            part = part[size:]
    return [(message.opcode, bytes(message.data)) for message in messages]


@pytest.mark.parametrize("size", [0, 1, 3, 125, 126, 127, 65535, 65536, BUFFER_BYTES + 7])
@pytest.mark.parametrize("step", [None, 1000, 3])
def test_a_message_of_any_length_comes_whole(size, step):
    data = os.urandom(size)
    assert feed(Reader(LIMIT), sent(BINARY, data), step) == [(BINARY, data)]


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.integers(1, 40))
def test_any_cut_of_any_messages(payloads, step):
    stream, expected = b"", []
    for number, data in enumerate(payloads):
        middle = len(data) // 2
        mask = struct.pack("!I", number * 0x1234567)
        stream += sent(BINARY, data[:middle], final=False, mask=mask) + sent(PING, b"in between")
        stream += sent(CONTINUATION, data[middle:])
        expected += [(PING, b"in between"), (BINARY, data)]
    assert feed(Reader(LIMIT), stream, step) == expected


def test_the_buffer_never_fills_up():
    reader = Reader(LIMIT)
    data = bytes(1000)
    stream = sent(BINARY, data) * 1000
    assert len(feed(reader, stream, BUFFER_BYTES - 3)) == 1000
    assert len(reader.buffer()) == BUFFER_BYTES


@pytest.mark.parametrize(
    ("stream", "code"),
    [
        (bytes([0x82, 0x05]) + b"hello", "bad_frame"),  # no mask
        (bytes([0xC2, 0x80]) + MASK, "bad_frame"),  # compressed, which was not agreed
        (bytes([0x83, 0x80]) + MASK, "bad_frame"),  # an opcode that nothing has
        (sent(PING, b"", final=False), "bad_frame"),
        (sent(PING, bytes(126)), "bad_frame"),
        (sent(CONTINUATION, b"x"), "out_of_order"),
        (sent(BINARY, b"x", final=False) + sent(BINARY, b"y"), "out_of_order"),
        (bytes([0x82, 0xFF]) + struct.pack("!Q", LIMIT + 1) + MASK, "too_large"),
        (bytes([0x82, 0xFF]) + struct.pack("!Q", 2**64 - 1) + MASK, "too_large"),
        (sent(BINARY, bytes(LIMIT), final=False) + sent(CONTINUATION, b"x"), "too_large"),
    ],
)
def test_what_no_client_may_send_is_refused(stream, code):
    with pytest.raises(ProtocolError) as caught:
        feed(Reader(LIMIT), stream)
    assert caught.value.code == code


@given(st.binary(min_size=1, max_size=200))
def test_garbage_gives_messages_or_one_kind_of_error(data):
    with suppress(ProtocolError):
        feed(Reader(LIMIT), data)


@pytest.mark.parametrize("size", [0, 125, 126, 65535, 65536, 10_000_000])
@pytest.mark.parametrize("opcode", [BINARY, TEXT, CLOSE])
def test_a_header_is_what_a_library_writes(size, opcode):
    if opcode == CLOSE and size > 125:
        return
    frame = Frame(Opcode(opcode), bytes(size))
    assert header(opcode, size) + bytes(size) == frame.serialize(mask=False)
