"""JSON as the wire allows it: what one language writes, the other reads as the same value."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from ipfs_accelerate.errors import ProtocolError

MAX_NUMBER = 2**53 - 1
MAX_DEPTH = 64


def dumps(value: Any) -> str:
    """Write `value` compactly, after refusing what the other language could not read back."""
    _check(value, MAX_DEPTH)
    return dumps_checked(value)


def loads(text: str) -> Any:
    """Read `text`; whatever it holds, nothing but ProtocolError is raised."""
    value = loads_unchecked(text)
    _check(value, MAX_DEPTH)
    return value


def loads_unchecked(text: str) -> Any:
    """Read `text` for a caller who checks each text, number and depth in it."""
    try:
        return _decode(text)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise ProtocolError(f"The frame's JSON can't be read: {reason}.") from None


def check_text(text: str) -> None:
    """Refuse a lone surrogate, which no UTF-8 can carry."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ProtocolError(f"The text {text[:80]!a} has a lone surrogate.") from None


def _check(value: Any, depth: int) -> None:
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, bool) or value is None:
        pass
    elif isinstance(value, int | float):
        # One comparison refuses NaN and both infinities too.
        if not -MAX_NUMBER <= value <= MAX_NUMBER:
            raise ProtocolError("A number in the message is outside ±(2^53 - 1).")
    elif isinstance(value, dict):
        _check_depth(depth)
        for key, item in value.items():
            _check_key(key)
            _check(item, depth - 1)
    elif isinstance(value, list | tuple):
        _check_depth(depth)
        for item in value:
            _check(item, depth - 1)
    else:
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


# Made once: json.dumps and json.loads would make a new one at each call with these options.
dumps_checked = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
).encode
_decode = json.JSONDecoder(parse_float=_read_float, parse_constant=_refuse_constant).decode
