from __future__ import annotations

from collections import OrderedDict
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.strict_json import (
    MAX_NUMBER,
    check_text,
    dumps,
    loads,
    loads_unchecked,
    quoted,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_NUMBER, MAX_NUMBER)
    | st.floats(-MAX_NUMBER, MAX_NUMBER)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth - 1):
        value = [value]
    return value


@given(VALUES)
def test_what_is_written_is_read_back(value):
    assert loads(dumps(value)) == value


def test_it_is_compact_and_not_escaped():
    assert dumps({"a": [1, None, True, "é"]}) == '{"a":[1,null,true,"é"]}'
    assert dumps({"a": (1, 2)}) == '{"a":[1,2]}'
    assert quoted('é"\n') == '"é\\"\\n"'


def test_a_number_is_an_integer_if_its_value_is_one():
    assert [type(one) for one in loads("[1.0, -0.0, 1e3, 1.5]")] == [int, int, int, float]


class Name(str):
    __slots__ = ()


class Size(IntEnum):
    SMALL = 1
    TOO_LARGE = 2**53


def test_a_value_of_a_derived_type_is_written_and_checked_as_its_base():
    written = dumps({Name("a"): [Size.SMALL, Name("é"), OrderedDict(b=True)]})
    assert written == '{"a":[1,"é",{"b":true}]}'
    for value in (Size.TOO_LARGE, Name("\ud800"), {Name("\ud800"): 1}, [OrderedDict(b=b"")]):
        with pytest.raises(ProtocolError):
            dumps(value)


def test_white_space_around_a_value_is_that_of_json():
    assert loads(" \t\r\n[1] \t\r\n") == [1]
    for text in ("\f1", "1\f", "1\u00a0", "\ufeff1", "1x"):
        with pytest.raises(ProtocolError):
            loads(text)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        2**53,
        -(2**53),
        1e300,
        b"bytes",
        {1: "a"},
        {"a": object()},
        "\ud800",
        {"\ud800": 1},
        nested(65),
        {"a": nested(64)},
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_the_other_language_could_not_read_is_not_written(value):
    with pytest.raises(ProtocolError):
        dumps(value)


@pytest.mark.parametrize(
    "text",
    ["NaN", "-Infinity", "1e999", str(2**53), "9" * 5000, "[" * 100_000, "", "1 2", '"\\ud800"'],
    ids=lambda text: text[:12] or "nothing",
)
def test_what_is_not_strict_is_not_read(text):
    with pytest.raises(ProtocolError):
        loads(text)


def test_the_depth_is_counted_from_the_outermost():
    assert loads(dumps(nested(64))) == nested(64)
    with pytest.raises(ProtocolError, match="more than 64 deep"):
        loads("[" * 65 + "]" * 65)


def test_a_list_that_holds_itself_is_refused():
    ring: list[object] = []
    ring.append(ring)
    with pytest.raises(ProtocolError):
        dumps(ring)


def test_unchecked_reading_leaves_the_checks_to_its_caller():
    assert loads_unchecked(str(2**60)) == 2**60
    with pytest.raises(ProtocolError, match="too deep"):
        loads_unchecked("[" * 100_000)


def test_text_is_what_utf8_can_carry():
    check_text("plain")
    check_text("grüße \U0001f30d")
    with pytest.raises(ProtocolError, match=r"lone surrogate"):
        check_text("\udfff")
