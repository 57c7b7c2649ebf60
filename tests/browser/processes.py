"""Looks at processes from outside, as a person with `ps` would."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")


def of_folder(folder: Path) -> dict[int, str]:
    """The live processes, but this one, that name the folder in their arguments or environment."""
    mark = os.fsencode(folder)
    found = {}
    for pid in _pids():
        line = read(pid, "cmdline")
        if pid != os.getpid() and (mark in line or mark in read(pid, "environ")):
            found[pid] = os.fsdecode(line.replace(b"\0", b" "))
    return found


def browser_of(folder: Path) -> int:
    """The first process of the one browser that has its profile in the folder."""
    lines = of_folder(folder)
    (pid,) = [pid for pid, line in lines.items() if "--user-data-dir" in line and not _typed(line)]
    return pid


def renderers_of(folder: Path) -> list[int]:
    """The processes in which pages run."""
    return [pid for pid, line in of_folder(folder).items() if "--type=renderer" in line]


def none_left(folder: Path, within_s: float = 5.0) -> bool:
    """Whether every process of the folder ends within this time."""
    return until(lambda: not of_folder(folder), within_s)


def until(condition, within_s: float = 30.0) -> bool:
    """Whether the condition comes to hold within this time."""
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def kill(pid: int) -> None:
    """End a process that a test has left alive on purpose."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def resident_mb(pid: int) -> float:
    """The memory that the process holds."""
    pages = int(read(pid, "statm").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _typed(line: str) -> bool:
    return "--type=" in line


def _pids() -> list[int]:
    return [int(entry.name) for entry in PROC.glob("[0-9]*")]


def read(pid: int, name: str) -> bytes:
    """Nothing for one that has ended: an unreaped process has neither arguments nor environment."""
    try:
        return (PROC / str(pid) / name).read_bytes()
    except OSError:
        return b""
