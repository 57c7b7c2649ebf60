"""Descriptors that a forked child must not keep.

Close-on-exec closes them in whatever this process starts, but a plain fork keeps every descriptor:
a child that goes on in Python would hold the lifeline of its parent's browser, and the lock on its
profile, long after the parent has died.
"""

from __future__ import annotations

import os

_held: set[int] = set()


def hold(fd: int) -> int:
    """Take care of `fd`: open here, closed in every forked child."""
    _held.add(fd)
    return fd


def holds(fd: int) -> bool:
    """Whether `fd` is still this process's own; false in a child that inherited it."""
    return fd in _held


def let_go(fd: int) -> None:
    """Close `fd`; where it was closed before, or by a fork, nothing happens."""
    if fd in _held:
        _held.discard(fd)
        os.close(fd)


def _close_in_child() -> None:
    for fd in _held:
        os.close(fd)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)
