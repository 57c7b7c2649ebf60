"""Tells a process that was started earlier from a stranger that has its number now."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Identity:
    """A process: its number, and a mark of when it started that no later holder can share."""

    pid: int
    started: str

    def lives(self) -> bool:
        """Whether this very process, and no other with its number, is still running."""
        return identity_of(self.pid) == self


def identity_of(pid: int) -> Identity | None:
    """Identify a running process; None for one that is gone or only waits to be reaped."""
    started = _started_on_linux(pid) if sys.platform.startswith("linux") else _started_by_ps(pid)
    return Identity(pid, started) if started else None


def command_of(pid: int) -> str:
    """Read the command line of a process, or nothing where it is gone or hidden."""
    if not sys.platform.startswith("linux"):
        return _ps("command", pid)
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    return os.fsdecode(line.replace(b"\0", b" "))


def _started_on_linux(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    # The second field, a name in brackets, may itself hold brackets and spaces.
    state, *fields = stat.rpartition(")")[2].split()
    ticks_since_boot = fields[18]
    return None if state in "ZX" else f"{boot} {ticks_since_boot}"


def _started_by_ps(pid: int) -> str | None:
    return _ps("lstart", pid) or None


def _ps(column: str, pid: int) -> str:
    done = subprocess.run(  # noqa: S603 - a fixed program; its arguments are a word and a number
        ["/bin/ps", "-ww", "-o", f"{column}=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        env={"LC_ALL": "C"},
    )
    return done.stdout.strip()
