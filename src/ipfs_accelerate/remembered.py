"""What was computed and is still there, under a budget of bytes; the longest unused goes. Pure."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

V = TypeVar("V")


@dataclass(slots=True)
class Entry(Generic[V]):
    """Something remembered: what it is, what it takes, and what computing it again would."""

    value: V
    owner: str
    """what it belongs to, and goes with"""
    size: int = 0
    took_ms: float = 0.0


class Remembered(Generic[V]):
    """Entries by key. What has to be given up comes back to the caller, who frees it."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.size = 0
        self._entries: OrderedDict[str, Entry[V]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, key: str) -> Entry[V] | None:
        """The entry, which counts as used now."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        return entry

    def keep(
        self, key: str, value: V, owner: str, *, size: int = 0, took_ms: float = 0.0
    ) -> list[V]:
        """Remember it, in place of what had this key; what goes for it.

        Where it alone is over the budget, it is what goes.
        """
        gone = self.drop(key)
        self._entries[key] = Entry(value, owner, size, took_ms)
        self.size += size
        return gone + self._shrink()

    def measured(self, key: str, *, size: int, took_ms: float) -> list[V]:
        """What was kept before it was known how large it is; what goes for it."""
        entry = self._entries[key]
        self.size += size - entry.size
        entry.size, entry.took_ms = size, took_ms
        return self._shrink()

    def drop(self, key: str) -> list[V]:
        """Forget this one."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return []
        self.size -= entry.size
        return [entry.value]

    def forget(self, gone: Callable[[Entry[V]], bool]) -> list[V]:
        """Forget those of which this is true."""
        keys = [key for key, entry in self._entries.items() if gone(entry)]
        return [value for key in keys for value in self.drop(key)]

    def _shrink(self) -> list[V]:
        gone: list[V] = []
        while self.size > self.most_bytes:
            gone += self.drop(next(iter(self._entries)))
        return gone
