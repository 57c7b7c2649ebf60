"""The header of a frame: a safetensors header whose metadata holds one message."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol import strict_json
from ipfs_accelerate.protocol.tensor import ITEM_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_HEADER_BYTES = 8 * 2**20
LENGTH_BYTES = 8
METADATA = "__metadata__"
_ENTRY_KEYS = frozenset({"dtype", "shape", "data_offsets"})


class Entry(NamedTuple):
    """Where one tensor lies, counted from the end of the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


def write_header(message: dict[str, Any], entries: Iterable[Entry]) -> bytes:
    """Give the length and the JSON, padded so that the tensors begin at a multiple of 8."""
    # Put together as text: a second JSON encoder, for a header of one shape, took 3 µs a message.
    quoted = strict_json.quoted
    parts = [f'{{"{METADATA}":{{"message":{quoted(strict_json.dumps(message))}}}']
    for name, dtype, shape, begin, end in entries:
        if name == METADATA:
            raise ProtocolError(f"A tensor can't be named {METADATA}.", hint="Name it otherwise.")
        strict_json.check_text(name)
        sizes = ",".join(map(str, shape))
        parts.append(
            f'{quoted(name)}:{{"dtype":"{dtype}","shape":[{sizes}],"data_offsets":[{begin},{end}]}}'
        )
    text = f"{','.join(parts)}}}".encode()
    length = -(-len(text) // 8) * 8
    if length > MAX_HEADER_BYTES:
        raise ProtocolError(
            f"The header takes {length} bytes; at most {MAX_HEADER_BYTES} are allowed.",
            code="too_large",
            hint="Send long data as tensors, not in the message.",
        )
    return length.to_bytes(LENGTH_BYTES, "little") + text.ljust(length)


def read_header(data: memoryview) -> tuple[dict[str, Any], list[Entry], memoryview]:
    """Give the message, the tensors' entries in the order of their bytes, and those bytes."""
    text, body = _cut(data)
    header = strict_json.loads_unchecked(text)
    if not isinstance(header, dict):
        raise ProtocolError("The frame's header is not a JSON object.")
    message = _message(header.pop(METADATA, None))
    entries = [_entry(*item) for item in header.items()]
    entries.sort(key=lambda entry: entry[3:])
    end = 0
    for entry in entries:
        if entry.begin != end:
            raise ProtocolError(f"Before tensor {entry.name!r} the bytes overlap or leave a gap.")
        end = entry.end
    if end != len(body):
        raise ProtocolError(f"The tensors end at {end}, and the data at {len(body)}.")
    return message, entries, body


def _cut(data: memoryview) -> tuple[str, memoryview]:
    length = int.from_bytes(data[:LENGTH_BYTES], "little")
    end = LENGTH_BYTES + length
    if length % 8 or length > MAX_HEADER_BYTES:
        raise ProtocolError(f"A header can't be {length} bytes long.")
    if len(data) < end:
        raise ProtocolError(f"The frame has {len(data)} bytes, and its header ends at {end}.")
    try:
        return str(data[LENGTH_BYTES:end], "utf-8"), data[end:]
    except UnicodeDecodeError as error:
        raise ProtocolError(f"The frame's header is not UTF-8: {error.reason}.") from None


def _message(metadata: Any) -> dict[str, Any]:
    if not isinstance(metadata, dict) or list(metadata) != ["message"]:
        raise ProtocolError("The frame's metadata is not one message.")
    if not isinstance(metadata["message"], str):
        raise ProtocolError("The frame's message is not a JSON string.")
    message = strict_json.loads(metadata["message"])
    if not isinstance(message, dict):
        raise ProtocolError("The frame's message is not a JSON object.")
    return message


def _entry(name: str, entry: Any) -> Entry:
    strict_json.check_text(name)
    if not isinstance(entry, dict) or entry.keys() != _ENTRY_KEYS:
        raise ProtocolError(f"The entry of tensor {name!r} is not a dtype, a shape and offsets.")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in ITEM_SIZE:
        raise ProtocolError(f"The dtype {dtype!r} of tensor {name!r} is unknown.")
    if not (_are_counts(shape) and _are_counts(offsets) and len(offsets) == 2):  # noqa: PLR2004 - a begin and an end
        raise ProtocolError(f"The shape or the offsets of tensor {name!r} are not counts.")
    begin, end = offsets
    item = ITEM_SIZE[dtype]
    if begin % item or end - begin != prod(shape) * item:
        raise ProtocolError(
            f"Tensor {name!r}, {dtype} {shape}, can't lie from {begin} to {end}.",
        )
    return Entry(name, dtype, tuple(shape), begin, end)


def _are_counts(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is int and item >= 0 for item in value)
