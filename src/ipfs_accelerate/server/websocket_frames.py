"""The frames of a WebSocket, as a server reads and writes them (RFC 6455). Pure.

Browsers cut what they send into frames of some 130 kB, each under a mask of its own. Here the bytes
are read into one buffer that stays in the processor's cache, unmasked there, and copied once, to
the end of their message; a library in between copies them three times more, and takes half of the
time that 10 MB need.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

# It has there what was compiled, or Python where nothing was.
from websockets.frames import apply_mask  # type: ignore[attr-defined]

from ipfs_accelerate.errors import ProtocolError

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
BUFFER_BYTES = 256 * 1024
_SHORT, _LONG = 126, 127
_LARGEST_CONTROL = 125


class Message(NamedTuple):
    """What one or more frames have said."""

    opcode: int
    data: bytes | bytearray


class _Frame(NamedTuple):
    """A frame's header."""

    final: bool
    opcode: int
    mask: bytes
    length: int
    header_bytes: int


def header(opcode: int, length: int) -> bytes:
    """The header of a server's frame, which is always whole and never masked."""
    if length < _SHORT:
        return struct.pack("!BB", 0x80 | opcode, length)
    if length < 1 << 16:
        return struct.pack("!BBH", 0x80 | opcode, _SHORT, length)
    return struct.pack("!BBQ", 0x80 | opcode, _LONG, length)


class Reader:
    """Takes the bytes of a client as they come, and gives its messages."""

    def __init__(self, max_message_bytes: int) -> None:
        self._max_message_bytes = max_message_bytes
        self._buffer = memoryview(bytearray(BUFFER_BYTES))
        # What has come and is not read yet lies between the two.
        self._start = self._end = 0
        # The frame whose data is coming, and how much of that is still missing.
        self._frame: _Frame | None = None
        self._missing = 0
        self._control = bytearray()
        # The message whose frames are coming: its opcode, None between two messages.
        self._opcode: int | None = None
        self._data = bytearray()

    def buffer(self) -> memoryview:
        """Where the next bytes are to be written; there is always room."""
        return self._buffer[self._end :]

    def filled(self, count: int) -> list[Message]:
        """So many bytes were written: the messages that they complete."""
        self._end += count
        messages: list[Message] = []
        while self._frame is not None or self._begin():
            message = self._read_data()
            if message is not None:
                messages.append(message)
            if self._frame is not None:
                break  # the rest of its data has not come yet
        if self._start == self._end:
            self._start = self._end = 0
        else:
            self._keep_rest()
        return messages

    def _begin(self) -> bool:
        """Read a frame's header, if all of it is here."""
        frame = _parse(self._buffer, self._start, self._end)
        if frame is None:
            return False
        self._check(frame)
        self._start += frame.header_bytes
        self._frame, self._missing = frame, frame.length
        return True

    def _check(self, frame: _Frame) -> None:
        if frame.opcode >= CLOSE:
            if not frame.final or frame.length > _LARGEST_CONTROL:
                raise ProtocolError("A control frame is cut, or longer than 125 bytes.")
            return
        if (frame.opcode == CONTINUATION) != (self._opcode is not None):
            raise ProtocolError("A frame does not continue the one before.", code="out_of_order")
        if len(self._data) + frame.length > self._max_message_bytes:
            raise ProtocolError(
                f"A message of more than {self._max_message_bytes} bytes came.", code="too_large"
            )
        if frame.opcode != CONTINUATION:
            self._opcode = frame.opcode

    def _read_data(self) -> Message | None:
        frame = self._frame
        assert frame is not None  # noqa: S101 - its only caller has looked
        size = min(self._missing, self._end - self._start)
        if size:
            mask = frame.mask
            if turned := (frame.length - self._missing) % 4:
                mask = mask[turned:] + mask[:turned]
            data = apply_mask(self._buffer[self._start : self._start + size], mask)
            target = self._control if frame.opcode >= CLOSE else self._data
            target += data
            self._start += size
            self._missing -= size
        if self._missing:
            return None
        self._frame = None
        return self._complete(frame)

    def _complete(self, frame: _Frame) -> Message | None:
        if frame.opcode >= CLOSE:
            message = Message(frame.opcode, self._control)
            self._control = bytearray()
            return message
        if not frame.final:
            return None
        assert self._opcode is not None  # noqa: S101 - `_check` has set it
        message = Message(self._opcode, self._data)
        self._opcode, self._data = None, bytearray()
        return message

    def _keep_rest(self) -> None:
        """Move a header that is not whole yet to the front, so that there is room behind it."""
        rest = bytes(self._buffer[self._start : self._end])
        self._start, self._end = 0, len(rest)
        self._buffer[: len(rest)] = rest


def _parse(data: memoryview, start: int, stop: int) -> _Frame | None:
    """Read the header that begins at `start`; None where not all of it has come."""
    offset = start + 2
    if stop < offset:
        return None
    first, second = data[start], data[start + 1]
    opcode, length = first & 0x0F, second & 0x7F
    if first & 0x70 or opcode not in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG):
        raise ProtocolError("A WebSocket frame of an unknown kind came.")
    if not second & 0x80:
        raise ProtocolError("A WebSocket frame without a mask came, as no client sends it.")
    if length >= _SHORT:
        form = "!H" if length == _SHORT else "!Q"
        offset += struct.calcsize(form)
        if stop < offset:
            return None
        (length,) = struct.unpack_from(form, data, start + 2)
    end = offset + 4
    if stop < end:
        return None
    return _Frame(bool(first & 0x80), opcode, bytes(data[offset:end]), length, end - start)
