"""Starts a program without a fork, and with just the descriptors that it is to have."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.browsers.forks import Held
from ipfs_accelerate.browsers.lifeline import PIPE_FDS, clear

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# What Python, or the program around it, may ignore: an ignored signal would stay so in the browser.
_BACK_TO_DEFAULT = (
    signal.SIGCHLD,
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGPIPE,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGXFSZ,
)


def spawn(
    argv: list[str], environ: Mapping[str, str], pipe_ends: tuple[int, int], log_fd: int
) -> int:
    """Start `argv` in a process group of its own and return its number.

    A terminal's Ctrl-C goes to the group in front, and so does not reach it. Every descriptor
    given is one of `Lifeline` or `open_log`, and above all those that it becomes.
    """
    return os.posix_spawn(
        argv[0],
        argv,
        environ,
        file_actions=_file_actions(pipe_ends, log_fd),
        setpgroup=0,
        setsigmask=(),
        setsigdef=_BACK_TO_DEFAULT,
    )


def open_log(path: Path) -> Held:
    """Begin the log of a start anew."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
    return Held(clear(os.open(path, flags, 0o600)))


def _file_actions(pipe_ends: tuple[int, int], log_fd: int) -> Sequence[tuple[Any, ...]]:
    return [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, log_fd, 1),
        (os.POSIX_SPAWN_DUP2, log_fd, 2),
        (os.POSIX_SPAWN_DUP2, pipe_ends[0], PIPE_FDS[0]),
        (os.POSIX_SPAWN_DUP2, pipe_ends[1], PIPE_FDS[1]),
    ]
