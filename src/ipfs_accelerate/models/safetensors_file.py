"""A safetensors file of weights, mapped into memory and read one tensor at a time."""

from __future__ import annotations

import contextlib
import json
import math
import mmap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from ipfs_accelerate.errors import ModelError, TensorError
from ipfs_accelerate.tensors.dtypes import by_wire

if TYPE_CHECKING:
    from pathlib import Path

_LENGTH_BYTES = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a tensor lies in the file's data."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class SafetensorsFile:
    """The tensors of one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise self._refusal(str(error)) from error
        try:
            self._data, self.entries = self._read_header()
        except (ValueError, KeyError, TypeError, TensorError, RecursionError) as error:
            self._map.close()
            raise self._refusal(str(error)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # A view that is still held keeps the mapping until it goes.
        with contextlib.suppress(BufferError):
            self._map.close()

    def view(self, name: str) -> tuple[Entry, memoryview]:
        """Give a tensor's place and its bytes, which are not copied."""
        entry = self.entries.get(name)
        if entry is None:
            raise self._refusal(f"it has no tensor {name!r}")
        return entry, memoryview(self._map)[self._data + entry.begin : self._data + entry.end]

    def _read_header(self) -> tuple[int, dict[str, Entry]]:
        length = int.from_bytes(self._map[:_LENGTH_BYTES], "little")
        data = _LENGTH_BYTES + length
        if data > len(self._map):
            raise ValueError("its header is longer than the file")
        header = json.loads(self._map[_LENGTH_BYTES:data])
        header.pop("__metadata__", None)
        room = len(self._map) - data
        return data, {name: _entry(name, value, room) for name, value in header.items()}

    def _refusal(self, why: str) -> ModelError:
        return ModelError(
            f"{self.path} cannot be read as safetensors: {why}.",
            code="model_invalid",
            hint="Install the model's package again, or download the file again.",
            details={"path": str(self.path)},
        )


def _entry(name: str, value: Any, room: int) -> Entry:
    begin, end = value["data_offsets"]
    shape = tuple(value["shape"])
    if not all(type(number) is int for number in (begin, end, *shape)):
        raise TypeError(f"the place of tensor {name!r} is not in whole numbers")
    expected = math.prod(shape) * by_wire(value["dtype"]).size
    if not (0 <= begin <= end <= room and end - begin == expected):
        raise ValueError(f"tensor {name!r} does not lie where the header says")
    return Entry(value["dtype"], shape, begin, end)
