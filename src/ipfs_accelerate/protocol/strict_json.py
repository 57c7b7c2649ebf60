"""JSON as the wire allows it: what one language writes, the other reads as the same value."""

from __future__ import annotations

import json.encoder
from typing import Any, NoReturn

from ipfs_accelerate.errors import ProtocolError

MAX_NUMBER = 2**53 - 1
MAX_DEPTH = 64
_KINDS = (str, int, float, dict, list, tuple, bool, type(None))


def dumps(value: Any) -> str:
    """Write `value` compactly, after refusing what the other language could not read back."""
    _check(value, MAX_DEPTH)
    return _encode(value)


def loads(text: str) -> Any:
    """Read `text`; whatever it holds, nothing but ProtocolError is raised."""
    value = loads_unchecked(text)
    _check(value, MAX_DEPTH)
    return value


def loads_unchecked(text: str) -> Any:
    """Read `text` for a caller who checks each text, number and depth in it."""
    # JSONDecoder.decode looks for white space twice by a regex, which takes as long as the reading.
    text = text.strip(_WHITE_SPACE)
    try:
        value, end = _decode(text)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise ProtocolError(f"The frame's JSON can't be read: {reason}.") from None
    if end != len(text):
        raise ProtocolError(f"The frame's JSON can't be read: it goes on at {end}.")
    return value


def check_text(text: str) -> None:
    """Refuse a lone surrogate, which no UTF-8 can carry."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ProtocolError(f"The text {text[:80]!a} has a lone surrogate.") from None


def _check(value: Any, depth: int) -> None:
    # By the exact type, and without a call for each key: this walks over every message, and takes
    # 0.5 us for a ping's where isinstance took 1.1.
    kind = type(value)
    if kind not in _KINDS:
        kind = _kind_of(value)
    if kind is str:
        check_text(value)
    elif kind is int or kind is float:
        # One comparison refuses NaN and both infinities too.
        if not -MAX_NUMBER <= value <= MAX_NUMBER:
            raise ProtocolError("A number in the message is outside ±(2^53 - 1).")
    elif kind is dict:
        _check_depth(depth)
        for key, item in value.items():
            if type(key) is not str or not key.isascii():
                _check_key(key)
            _check(item, depth - 1)
    elif kind is list or kind is tuple:
        _check_depth(depth)
        for item in value:
            _check(item, depth - 1)


def _kind_of(value: Any) -> type:
    """Give the type as which JSON writes a value of a derived one, such as an IntEnum's."""
    for kind in _KINDS:
        if isinstance(value, kind):
            return kind
    raise ProtocolError(
        f"A {type(value).__name__} can't be written as JSON.",
        hint="Send plain numbers, text, lists and dicts; arrays go as tensors.",
    )


def _check_key(key: Any) -> None:
    if not isinstance(key, str):
        raise ProtocolError(f"The key {key!r} of a JSON object is not text.")
    check_text(key)


def _check_depth(depth: int) -> None:
    if depth == 0:
        raise ProtocolError(f"The message's JSON is nested more than {MAX_DEPTH} deep.")


def _read_float(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


_WHITE_SPACE = " \t\n\r"
# Gives a text, which was checked, as a JSON string.
quoted = json.encoder.encode_basestring
# Made once: json.dumps and json.loads would make a new one at each call with these options.
_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
).encode
_decode = json.JSONDecoder(parse_float=_read_float, parse_constant=_refuse_constant).raw_decode
