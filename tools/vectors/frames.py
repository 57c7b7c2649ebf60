"""Frames that must be read, and bytes that must be refused."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

from tools.vectors.messages import EXAMPLES
from tools.vectors.packing import (
    ITEM_SIZE,
    offsets_of,
    pack,
    tensor,
    with_entries,
    with_length,
)

if TYPE_CHECKING:
    from tools.vectors.packing import Json

PING = {"type": "ping", "id": 1}
DTYPES = (*ITEM_SIZE, "I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2")
TOP = 2**53 - 1


def _result(value: Any) -> Json:
    return {"type": "result", "id": 1, "value": value}


def _nested(depth: int) -> Json:
    """Give a message whose innermost array is `depth` deep."""
    inner: list[Any] = []
    for _ in range(depth - 3):
        inner = [inner]
    return _result({"a": inner})


def _each_dtype() -> Json:
    tensors = {}
    for number, dtype in enumerate(DTYPES):
        size = ITEM_SIZE.get(dtype, 1)
        data = bytes((number + index) % 251 for index in range(3 * size))
        tensors[f"t_{dtype}"] = tensor(dtype, [3], bytes([1, 0, 1]) if dtype == "BOOL" else data)
    return tensors


def _floats(form: str, *values: float) -> bytes:
    return struct.pack(f"<{len(values)}{form}", *values)


VALID: list[tuple[str, str, Json, Json]] = [
    *(
        (f"message_{index:02}_{one['type']}", f"an example of {one['type']}", one, {})
        for index, one in enumerate(EXAMPLES)
    ),
    ("every_dtype", "three items of every dtype, in the table's order", PING, _each_dtype()),
    (
        "i64_beside_u8",
        "bytes given first are laid out last, so that 8-byte items stay aligned",
        PING,
        {
            "mask": tensor("U8", [3], b"\x01\x02\x03"),
            "ids": tensor("I64", [1, 2], struct.pack("<2q", -1, 2**62)),
            "half": tensor("F16", [1], b"\x00\x3c"),
            "more": tensor("I64", [1], struct.pack("<q", -(2**63))),
        },
    ),
    ("rank_0", "a scalar has the shape []", PING, {"x": tensor("F32", [], _floats("f", 1.5))}),
    (
        "empty_tensors",
        "tensors without a byte, between others",
        PING,
        {
            "none": tensor("I64", [0], b""),
            "some": tensor("F32", [1], _floats("f", -2.0)),
            "flat": tensor("F32", [3, 0, 2], b""),
            "byte": tensor("U8", [1], b"\xff"),
        },
    ),
    ("only_empty", "one tensor, no byte", PING, {"none": tensor("F64", [2, 0], b"")}),
    (
        "nan_payloads",
        "a NaN keeps its sign and payload, whatever a language does with it",
        PING,
        {
            "f32": tensor("F32", [3], bytes.fromhex("0100807f 785634ff 0000807f")),
            "f64": tensor("F64", [2], bytes.fromhex("010000000000f07f efbeaddeefbef8ff")),
            "f16": tensor("F16", [2], bytes.fromhex("017c 00fc")),
            "bf16": tensor("BF16", [2], bytes.fromhex("c17f 80ff")),
        },
    ),
    (
        "halves",
        "F16 and BF16 beside each other: 1.0 and -2.0 in both",
        PING,
        {
            "f16": tensor("F16", [2], bytes.fromhex("003c 00c0")),
            "bf16": tensor("BF16", [2], bytes.fromhex("803f 00c0")),
        },
    ),
    (
        "names_beyond_ascii",
        "names and texts in many scripts, and beyond the first plane",
        _result({"grüße": "世界 \U0001f30d", "line": 'a\nb\t\u2028\u0000"\\/'}),
        {
            "größe": tensor("U8", [1], b"\x01"),
            "名前": tensor("U8", [1], b"\x02"),
            "\U0001f9ee": tensor("U8", [1], b"\x03"),
            "": tensor("U8", [1], b"\x04"),
            'quote"\\': tensor("U8", [1], b"\x05"),
        },
    ),
    (
        "floats",
        "numbers that the languages print differently",
        _result({"values": [1.0, 0.1, 0.1 + 0.2, 1e-7, 5e-324, 1e15, 123456.789e-30, 2.5e10]}),
        {},
    ),
    ("integers", "the largest integers", _result({"values": [TOP, -TOP, 0, TOP - 1]}), {}),
    ("depth_64", "as deep as JSON may be nested", _nested(64), {}),
    (
        "many_tensors",
        "a hundred tensors of mixed sizes",
        PING,
        {
            f"t{index:03}": tensor(
                DTYPES[index % 15],
                [index % 4],
                bytes(index % 2 for _ in range(index % 4 * ITEM_SIZE.get(DTYPES[index % 15], 1))),
            )
            for index in range(100)
        },
    ),
]


def _u8(shape: Any, offsets: Any) -> Json:
    return {"dtype": "U8", "shape": shape, "data_offsets": offsets}


def _text(message: str) -> bytes:
    return with_entries({}, message=message)


def _value(json_text: str) -> bytes:
    return _text('{"type":"result","id":1,"value":{"a":' + json_text + "}}")


def _x(entry: Any, data: bytes = b"") -> bytes:
    return with_entries({"x": entry}, data)


_GOOD = pack(PING, {"x": tensor("F32", [2], _floats("f", 1.0, 2.0))})
_I64 = {"dtype": "I64", "shape": [1]}

INVALID: list[tuple[str, str, bytes]] = [
    ("nothing", "no byte at all", b""),
    ("seven_bytes", "shorter than its length", b"\x00" * 7),
    ("no_header", "a header of no bytes", b"\x00" * 8),
    ("header_cut", "the header ends early", _GOOD[:40]),
    ("data_cut", "the data ends early", _GOOD[:-1]),
    ("data_over", "a byte after the last tensor", _GOOD + b"\x00"),
    (
        "length_odd",
        "a header's length that is no multiple of 8",
        (9).to_bytes(8, "little") + b"{       }",
    ),
    ("length_huge", "a length beyond every memory", b"\xff" * 8 + b"{}"),
    ("length_9_mib", "a header above 8 MiB", (9 << 20).to_bytes(8, "little") + b"{}"),
    ("not_utf8", "a header that is not UTF-8", with_length(b'{"\xff":1}')),
    (
        "byte_order_mark",
        "a header after a byte order mark",
        with_length(b"\xef\xbb\xbf" + _GOOD[8:-8].rstrip()),
    ),
    ("not_json", "a header that is not JSON", with_length(b"{'a':1}")),
    ("header_array", "a header that is an array", with_length(b"[]")),
    ("header_number", "a header that is a number", with_length(b"7")),
    ("header_nested", "a header nested 20000 deep", with_length(b"[" * 20000 + b"]" * 20000)),
    ("no_metadata", "a file of tensors alone", with_length(b"{}")),
    ("metadata_null", "metadata that is null", with_length(b'{"__metadata__":null}')),
    ("metadata_text", "metadata that is text", with_length(b'{"__metadata__":"message"}')),
    ("metadata_empty", "metadata without a message", with_length(b'{"__metadata__":{}}')),
    (
        "metadata_more",
        "metadata with another key",
        with_length(json.dumps({"__metadata__": {"message": json.dumps(PING), "a": ""}}).encode()),
    ),
    (
        "message_object",
        "a message that is not in a string",
        with_length(b'{"__metadata__":{"message":{"type":"ping","id":1}}}'),
    ),
    ("message_not_json", "a message that is not JSON", _text("ping")),
    ("message_array", "a message that is an array", _text("[]")),
    ("message_twice", "two messages in one string", _text('{"type":"ping","id":1}{}')),
    ("message_nan", "NaN in the JSON", _value("NaN")),
    ("message_infinity", "-Infinity in the JSON", _value("-Infinity")),
    ("message_overflow", "a number that would be read as infinity", _value("1e999")),
    ("integer_2_53", "an integer of 2^53", _value("9007199254740992")),
    ("integer_minus_2_53", "an integer of -2^53", _value("-9007199254740992")),
    ("integer_long", "an integer of 5000 digits", _value("9" * 5000)),
    ("float_1e300", "a float beyond 2^53", _value("1e300")),
    ("depth_65", "JSON nested 65 deep", pack(_nested(65))),
    ("depth_20000", "JSON nested 20000 deep", _value("[" * 20000 + "]" * 20000)),
    ("surrogate", "a lone surrogate in a text", _text('{"type":"goodbye","reason":"\\ud800"}')),
    (
        "surrogate_key",
        "a lone surrogate in a key",
        _text('{"type":"result","id":1,"value":{"\\udfff":1}}'),
    ),
    (
        "surrogate_name",
        "a lone surrogate in a tensor's name",
        with_entries({"\ud800": _u8([0], [0, 0])}),
    ),
    (
        "control_character",
        "a line's end inside a JSON string",
        with_length(b'{"__metadata__":{"message":"\n"}}'),
    ),
    ("unknown_type", "a message of an unknown type", _text('{"type":"shout","id":1}')),
    ("unknown_field", "a message with a field too many", _text('{"type":"ping","id":1,"x":1}')),
    (
        "unknown_dtype",
        "a dtype that is unknown",
        with_entries({"x": {"dtype": "F24", "shape": [1], "data_offsets": [0, 3]}}, b"123"),
    ),
    (
        "packed_dtype",
        "a dtype of less than a byte",
        with_entries({"x": {"dtype": "F4", "shape": [2], "data_offsets": [0, 1]}}, b"1"),
    ),
    (
        "dtype_number",
        "a dtype that is a number",
        with_entries({"x": {"dtype": 1, "shape": [1], "data_offsets": [0, 1]}}, b"1"),
    ),
    ("entry_null", "an entry that is null", _x(None)),
    (
        "entry_more",
        "an entry with another key",
        with_entries({"x": _u8([1], [0, 1]) | {"a": 1}}, b"1"),
    ),
    (
        "entry_less",
        "an entry without a shape",
        with_entries({"x": {"dtype": "U8", "data_offsets": [0, 1]}}, b"1"),
    ),
    ("shape_negative", "a shape below zero", _x(_u8([-1, -1], [0, 1]), b"1")),
    ("shape_fraction", "a shape with a fraction", _x(_u8([0.5, 2], [0, 1]), b"1")),
    ("shape_true", "a shape of true", _x(_u8([True], [0, 1]), b"1")),
    ("shape_number", "a shape that is a number", _x(_u8(1, [0, 1]), b"1")),
    ("shape_overflow", "a shape whose product leaves 64 bits", _x(_u8([2**32, 2**32], [0, 0]))),
    ("offsets_one", "offsets that only begin", _x(_u8([1], [0]), b"1")),
    ("offsets_three", "three offsets", _x(_u8([1], [0, 1, 1]), b"1")),
    ("offsets_backwards", "offsets that end before they begin", _x(_u8([0], [1, 0]), b"1")),
    (
        "offsets_gap",
        "a gap between two tensors",
        with_entries({"x": _u8([1], [0, 1]), "y": _u8([1], [2, 3])}, b"123"),
    ),
    ("offsets_late", "a gap before the first tensor", _x(_u8([1], [1, 2]), b"12")),
    (
        "offsets_overlap",
        "two tensors in the same bytes",
        with_entries({"x": _u8([2], [0, 2]), "y": _u8([2], [1, 3])}, b"123"),
    ),
    ("offsets_beyond", "a tensor beyond the data", _x(_u8([2], [0, 2]), b"1")),
    ("offsets_size", "offsets that disagree with the shape", _x(_u8([3], [0, 2]), b"12")),
    (
        "unaligned",
        "8-byte items after one byte, which no typed array can view",
        with_entries({"x": _u8([1], [0, 1]), "y": _I64 | {"data_offsets": [1, 9]}}, b"123456789"),
    ),
]


def frames() -> tuple[Json, dict[str, bytes]]:
    """Give frames.json and the files that it names."""
    table: Json = {"valid": [], "invalid": []}
    files = {}
    for name, about, message, tensors in VALID:
        file = f"frames/{name}.safetensors"
        files[file] = pack(message, tensors)
        table["valid"].append(
            {
                "name": name,
                "about": about,
                "file": file,
                "message": message,
                "tensors": tensors,
                "offsets": offsets_of(tensors),
            }
        )
    for name, about, data in INVALID:
        file = f"frames/invalid/{name}.safetensors"
        files[file] = data
        table["invalid"].append({"name": name, "about": about, "file": file, "code": "bad_frame"})
    return table, files
