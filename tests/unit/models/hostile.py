"""ONNX files that nobody would send: small valid ones, changed where readers break."""

import os
from typing import NamedTuple

from onnx import ModelProto, NodeProto, TensorProto
from tests.unit.models.valid import SEEDS

DATA = bytes(range(256)) * 64
"""The file beside each model that its weights may lie in, and the one that they may not."""
LEAST_INT64, MOST_INT64 = -(2**63), 2**63 - 1
INTS = [-1, 0, 1, 2, 7, 16, 22, 26, 27, 99, 2**31 - 1, 2**31, 2**40, MOST_INT64, LEAST_INT64]
FLOATS = [0.0, -1.0, 1e30, float("inf"), float("nan")]
PATHS = [
    *("data.bin", "../outside.bin", "/etc/passwd", "..", ".", "", "loop", "folder", "pipe"),
    *("outside", r"C:\x", r"..\outside.bin", r"\\host\share", "a\0b", "é\ud7ff", "a/" * 3000),
    *("a" * 300, "data.bin/x", "folder/../data.bin", "./data.bin", "http://host/x"),
]
NUMBERS = ["0", "4096", "16384", "16385", "-1", "1e3", "0x10", "9" * 19, "9" * 5000, "٣", " 8", ""]
PLACES = {"location": PATHS, "offset": NUMBERS, "length": NUMBERS, "checksum": ["", "0"]}
"""What a weight that lies in another file says of its place."""
TEXTS = [
    *("x", "y", "W", *PATHS, *NUMBERS, *PLACES, "%s%n", "com.microsoft", "ai.onnx.ml"),
    *("If", "Loop", "Scan", "Identity", "Nonsense"),
]
NESTED = [5, 30, 60, 90, 97, 100, 200, 1000]
"""Graphs in graphs; protobuf itself reads a hundred messages deep."""


class Hostile(NamedTuple):
    """A file's bytes, and how it was made."""

    how: str
    data: bytes


def lay_out(root):
    """A folder with all that a model may point to; where the model goes is given."""
    folder = root / "model"
    folder.mkdir()
    (folder / "data.bin").write_bytes(DATA)
    (root / "outside.bin").write_bytes(DATA)
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "outside").symlink_to(root / "outside.bin")
    os.mkfifo(folder / "pipe")
    return folder / "model.onnx"


def example(dice):
    """One file; the same dice make the same one."""
    name, seed = dice.choice(list(SEEDS.items()))
    change, weight = zip(*CHANGES.items(), strict=True)
    (chosen,) = dice.choices(change, weight)
    return Hostile(f"{name}, {chosen.__name__}", chosen(dice, seed))


def flipped(dice, seed):
    """A few bytes are others."""
    changed = bytearray(seed)
    for _ in range(dice.randint(1, 4)):
        changed[dice.randrange(len(changed))] = dice.choice([0, 127, 128, 255, dice.randrange(256)])
    return bytes(changed)


def cut(dice, seed):
    """Bytes are missing at the end or in the middle, or there are some twice."""
    begin, end = sorted(dice.randint(0, len(seed)) for _ in range(2))
    return dice.choice([seed[:begin], seed[:begin] + seed[end:], seed[:end] + seed[begin:]])


def long_length(dice, seed):
    """A varint, as lengths and dimensions are, is of up to ten bytes."""
    at = dice.randrange(len(seed))
    length = bytes([255] * dice.randint(1, 9)) + bytes([dice.choice([1, 15, 127, 255])])
    return seed[:at] + length + seed[at + dice.randint(0, 2) :]


def field_changed(dice, seed):
    """Some fields are gone, there twice, or of a value that they should not have."""
    model = ModelProto.FromString(seed)
    for _ in range(dice.randint(1, 3)):
        message = dice.choice(list(messages(model)))
        fields = [one for one, _ in message.ListFields()]
        if fields:
            change_field(dice, message, dice.choice(fields))
    return model.SerializeToString()


def tensor_changed(dice, seed):
    """A weight's type, dimensions or place are others."""
    model = ModelProto.FromString(seed)
    tensors = [one for one in messages(model) if isinstance(one, TensorProto)]
    tensor = dice.choice(tensors) if tensors else model.graph.initializer.add()
    match dice.randrange(4):
        case 0:
            tensor.data_type = dice.randint(-1, 30)
        case 1:
            tensor.dims[:] = dimensions(dice)
        case 2:
            tensor.data_location = TensorProto.EXTERNAL
            tensor.ClearField("raw_data")
            del tensor.external_data[:]
            for key in dice.sample(list(PLACES), dice.randint(0, len(PLACES))):
                tensor.external_data.add(key=key, value=dice.choice(PLACES[key]))
        case _:
            tensor.ClearField("raw_data")
            for name in ("int32_data", "int64_data", "uint64_data"):
                field = tensor.DESCRIPTOR.fields_by_name[name]
                getattr(tensor, name).extend(odd(dice, field) for _ in range(dice.randint(0, 9)))
    return model.SerializeToString()


def dimensions(dice):
    """Few that differ, or up to very many that are all alike, whose product nothing holds."""
    if dice.random() < 0.5:
        return [dice.choice(INTS) for _ in range(dice.choice([0, 1, 2, 9]))]
    return [dice.choice(INTS)] * dice.choice([2, 30, 400, 100_000])


def names_changed(dice, seed):
    """A node takes what it makes itself, what a later one makes, or what nobody makes."""
    model = ModelProto.FromString(seed)
    nodes = [one for one in messages(model) if isinstance(one, NodeProto)]
    names = [*TEXTS[:4], *(name for node in nodes for name in (*node.input, *node.output))]
    for _ in range(dice.randint(1, 3)):
        node = dice.choice(nodes)
        ends = dice.choice([node.input, node.output])
        ends[:] = [dice.choice(names) for _ in range(dice.choice([0, 1, len(ends), 3]))]
    return model.SerializeToString()


def opset_changed(dice, seed):
    """It is of an opset, or of a version of the format, that there is not."""
    model = ModelProto.FromString(seed)
    for opset in model.opset_import:
        opset.version = dice.choice(INTS)
        opset.domain = dice.choice(["", "", *TEXTS])
    model.ir_version = dice.choice([model.ir_version, *INTS])
    return model.SerializeToString()


def nested(dice, _seed):
    """A graph in a graph in a graph; made of bytes, since protobuf would not write it."""
    inner = b""
    for _ in range(dice.choice(NESTED)):
        operator = bytes_field(4, dice.choice([b"If", b"Loop", b"Identity"]))
        attribute = bytes_field(1, b"body") + bytes_field(6, inner) + b"\xa0\x01\x05"
        inner = bytes_field(1, operator + bytes_field(2, b"y") + bytes_field(5, attribute))
    opset = bytes_field(8, b"\x10\x11")
    return b"\x08\x08" + opset + bytes_field(7, inner)


CHANGES = {
    flipped: 3,
    cut: 2,
    long_length: 2,
    field_changed: 5,
    tensor_changed: 5,
    names_changed: 2,
    opset_changed: 1,
    nested: 1,
}


def messages(message):
    """A message of protobuf, and each one inside it."""
    yield message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for inner in value if field.is_repeated else [value]:
                yield from messages(inner)


def change_field(dice, message, field):
    """Change one field that is set."""
    if dice.random() < 0.1:
        message.ClearField(field.name)
    elif field.is_repeated:
        change_list(dice, getattr(message, field.name), field)
    elif field.type != field.TYPE_MESSAGE:
        setattr(message, field.name, odd(dice, field))


def change_list(dice, values, field):
    """Take one away, or put one there once more or in another one's place."""
    at = dice.randrange(len(values))
    if dice.random() < 0.2:
        del values[at]
    elif field.type == field.TYPE_MESSAGE:
        values.add().CopyFrom(values[at])
    else:
        values[at] = odd(dice, field)


def odd(dice, field):
    """A value of the field's type that is seldom there."""
    if field.type == field.TYPE_BYTES:
        return dice.randbytes(dice.choice([0, 1, 7, 5000]))
    values = {
        field.CPPTYPE_STRING: TEXTS,
        field.CPPTYPE_FLOAT: FLOATS,
        field.CPPTYPE_DOUBLE: FLOATS,
        field.CPPTYPE_INT32: [one for one in INTS if abs(one) < 2**31],
        field.CPPTYPE_INT64: INTS,
        field.CPPTYPE_UINT64: [one for one in INTS if one >= 0],
    }
    if field.enum_type:
        return dice.choice(field.enum_type.values).number
    return dice.choice(values[field.cpp_type])


def bytes_field(number, data):
    """A field of protobuf that holds bytes."""
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def varint(value):
    """A number as protobuf writes it."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
