"""Descriptors that a forked child must not keep.

Close-on-exec closes them in whatever this process starts, but a plain fork keeps every descriptor:
a child that goes on in Python would hold the lifeline of its parent's browser, and the lock on its
profile, long after the parent has died.
"""

from __future__ import annotations

import os

_held: set[Held] = set()


class Held:
    """A descriptor that is open here until it is let go, and closed in every forked child."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        _held.add(self)

    @property
    def open(self) -> bool:
        """Whether the descriptor is still ours; false in a child that inherited it."""
        return self in _held

    def let_go(self) -> None:
        """Close the descriptor; where it was closed before, or by a fork, nothing happens."""
        if self.open:
            _held.discard(self)
            os.close(self.fd)


def _close_in_child() -> None:
    for held in _held:
        os.close(held.fd)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)
