"""Readers and writers of JSON, made once for each dataclass from the types of its fields."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeAlias

from ipfs_accelerate.protocol.strict_json import MAX_NUMBER

Read: TypeAlias = Callable[[Any], Any]
Write: TypeAlias = Callable[[Any], Any]


# `A | B` of classes is one type, and of annotated ones another.
_UNIONS = (types.UnionType, typing.Union)


class Misfit(Exception):  # noqa: N818 - it never leaves this package as an error
    """A value that does not fit, and the path of fields that leads to it."""

    def __init__(self, reason: str, path: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path

    def under(self, step: str) -> Misfit:
        """Give the same misfit, seen from one level further out."""
        return Misfit(self.reason, (step, *self.path))


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The smallest value of a number, written beside its type with Annotated."""

    least: int


def reader(cls: type) -> Read:
    """Give the function that reads a JSON object as `cls`, or raises Misfit."""
    members = {_key(field.name): (field.name, _read(field.type)) for field in fields(cls)}
    needed = [key for key in members if not _is_optional(cls, key)]

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Misfit("is not an object")
        arguments = {}
        for key, item in value.items():
            if key not in members:
                raise Misfit("is unknown", (str(key),))
            name, read_member = members[key]
            try:
                arguments[name] = read_member(item)
            except Misfit as misfit:
                raise misfit.under(key) from None
        if len(arguments) < len(members):
            for key in needed:
                if key not in value:
                    raise Misfit("is missing", (key,))
        return cls(**arguments)

    return read


def writer(cls: type) -> Callable[[Any], dict[str, Any]]:
    """Give the function that writes a `cls` as a JSON object; a field of None is left out."""
    members = [(field.name, _key(field.name), _write(field.type)) for field in fields(cls)]

    def write(value: Any) -> dict[str, Any]:
        written = {}
        for name, key, write_member in members:
            item = getattr(value, name)
            if item is not None:
                written[key] = write_member(item) if write_member else item
        return written

    return write


def _key(name: str) -> str:
    """Give the JSON key: `as_` stands for `as`, which Python keeps for itself."""
    return name.removesuffix("_")


def _is_optional(cls: type, key: str) -> bool:
    return any(field.default is None for field in fields(cls) if _key(field.name) == key)


def _read(kind: Any) -> Read:
    if is_dataclass(kind):
        return reader(typing.cast("type", kind))
    origin = typing.get_origin(kind)
    return _PLAIN[kind] if origin is None else _OF_ORIGIN[origin](typing.get_args(kind))


def _write(kind: Any) -> Write | None:
    """Give the function that writes a field, or None where its value is JSON already."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return _write_array(_write(arguments[0]))
    if origin is Mapping:
        return _write_mapping(_write(arguments[1]))
    if origin in _UNIONS:
        return _write_union(_without_none(arguments))
    return writer(typing.cast("type", kind)) if is_dataclass(kind) else None


def _write_array(write_item: Write | None) -> Write:
    return (lambda value: [write_item(item) for item in value]) if write_item else list


def _write_mapping(write_item: Write | None) -> Write:
    if write_item is None:
        return dict
    return lambda value: {key: write_item(item) for key, item in value.items()}


def _write_union(kinds: list[Any]) -> Write | None:
    if len(kinds) == 1:
        return _write(kinds[0])
    of_kind = {kind: writer(kind) for kind in kinds}
    return lambda value: of_kind[type(value)](value)


def _without_none(kinds: tuple[Any, ...]) -> list[Any]:
    return [kind for kind in kinds if kind is not types.NoneType]


def _number(arguments: tuple[Any, ...]) -> Read:
    kind, least = arguments[0], arguments[1].least

    def read_integer(value: Any) -> Any:
        if type(value) is int and least <= value <= MAX_NUMBER:
            return value
        if type(value) is float and value.is_integer():
            return read_integer(int(value))
        raise Misfit(f"is not an integer from {least} to 2^53 - 1")

    def read_number(value: Any) -> Any:
        if type(value) in (int, float) and least <= value <= MAX_NUMBER:
            return value
        raise Misfit(f"is not a number from {least} to 2^53 - 1")

    return read_integer if kind is int else read_number


def _choice(allowed: tuple[Any, ...]) -> Read:
    def read(value: Any) -> Any:
        if isinstance(value, str) and value in allowed:
            return value
        raise Misfit(f"is none of {', '.join(allowed)}")

    return read


def _array(arguments: tuple[Any, ...]) -> Read:
    read_item = _read(arguments[0])

    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise Misfit("is not an array")
        items = []
        for index, item in enumerate(value):
            try:
                items.append(read_item(item))
            except Misfit as misfit:
                raise misfit.under(str(index)) from None
        return tuple(items)

    return read


def _mapping(arguments: tuple[Any, ...]) -> Read:
    if arguments[1] is Any:
        return _object
    read_item = _read(arguments[1])

    def read(value: Any) -> Any:
        items = {}
        for key, item in _object(value).items():
            try:
                items[key] = read_item(item)
            except Misfit as misfit:
                raise misfit.under(str(key)) from None
        return items

    return read


def _union(arguments: tuple[Any, ...]) -> Read:
    """Read as the one kind, or as the dataclass whose keys the object has."""
    kinds = _without_none(arguments)
    if len(kinds) == 1:
        return _read(kinds[0])
    by_keys = {frozenset(_key(field.name) for field in fields(one)): reader(one) for one in kinds}

    def read(value: Any) -> Any:
        read_kind = by_keys.get(frozenset(_object(value)))
        if read_kind is None:
            raise Misfit("is none of " + ", ".join(one.__name__ for one in kinds))
        return read_kind(value)

    return read


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Misfit("is not an object")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Misfit("is not text")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Misfit("is not true or false")
    return value


_PLAIN: dict[Any, Read] = {str: _text, bool: _truth}
_OF_ORIGIN: dict[Any, Callable[[tuple[Any, ...]], Read]] = {
    typing.Annotated: _number,
    typing.Literal: _choice,
    tuple: _array,
    **dict.fromkeys(_UNIONS, _union),
    Mapping: _mapping,
}
