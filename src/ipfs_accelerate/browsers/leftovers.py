"""Clears what an earlier run left in a slot: a browser that outlived it, and its litter."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ipfs_accelerate.browsers.folders import write_private
from ipfs_accelerate.browsers.identity import Identity, command_of, identity_of
from ipfs_accelerate.errors import BrowserError

if TYPE_CHECKING:
    from pathlib import Path

_GRACE_S = 2.0
_POLL_S = 0.02


def record(file: Path, pid: int) -> None:
    """Remember which process runs in the slot, for whoever has to end it later.

    A disk that refuses is no reason to stop: the record matters only where a lifeline fails.
    """
    if found := identity_of(pid):
        with suppress(OSError):
            write_private(file, json.dumps({"pid": found.pid, "started": found.started}))


def end_recorded(file: Path, profile: Path) -> None:
    """End the recorded process if it still lives and is provably a browser on `profile`.

    Its lifeline has been cut, so it is most likely on its way out: it is waited for first.
    """
    left = _recorded(file)
    if left and left.lives() and str(profile) in command_of(left.pid):
        _wait_for_end(left)
        _kill_if_alive(left)
        _wait_for_end(left)
        if left.lives():
            raise BrowserError(
                f"Process {left.pid}, a browser of an earlier run, holds {profile} and can't"
                " be ended.",
                hint=f"End it by `kill -9 {left.pid}`, and try again.",
            )
    file.unlink(missing_ok=True)


def clear_litter(profile: Path, temporary: Path) -> None:
    """Remove temporary files, and the locks of a browser that had no time to."""
    shutil.rmtree(temporary, ignore_errors=True)
    for stale in profile.glob("Singleton*"):
        stale.unlink(missing_ok=True)


def _recorded(file: Path) -> Identity | None:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return Identity(int(found["pid"]), str(found["started"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None  # nothing is known of it, and so nothing is ended


def _wait_for_end(process: Identity) -> None:
    deadline = time.monotonic() + _GRACE_S
    while process.lives() and time.monotonic() < deadline:
        time.sleep(_POLL_S)


def _kill_if_alive(process: Identity) -> None:
    if not process.lives():
        return
    try:
        # The browser leads a group of its own, in which its zygotes and renderers are.
        if os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            os.kill(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # ended meanwhile, or not ours after all
