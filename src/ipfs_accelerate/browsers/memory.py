"""How much memory a browser takes, counted so that shared pages count once."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

_PROC = Path("/proc")
_KB_PER_MB = 1024
_PSS = re.compile(r"^Pss:\s+(\d+) kB$", re.MULTILINE)


def pss_mb(pid: int) -> float | None:
    """Sum the proportional set size of a process and all its descendants; None where unknown.

    Proportional, since the resident sizes of a browser's processes add up to more than twice
    what they take. Only Linux tells it.
    """
    if not (_PROC / str(pid) / "smaps_rollup").exists():
        return None
    return sum(_pss_kb(each) for each in tree(pid)) / _KB_PER_MB


def tree(pid: int) -> list[int]:
    """`pid` and all its descendants."""
    children = _children()
    found = [pid]
    for each in found:
        found.extend(children[each])
    return found


def _children() -> dict[int, list[int]]:
    children: dict[int, list[int]] = defaultdict(list)
    for stat in _PROC.glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text(errors="replace").rpartition(")")[2]
        except OSError:  # ended meanwhile
            continue
        children[int(after_name.split()[1])].append(int(stat.parent.name))
    return children


def _pss_kb(pid: int) -> int:
    try:
        rollup = (_PROC / str(pid) / "smaps_rollup").read_text()
    except OSError:  # ended meanwhile, or a zombie
        return 0
    found = _PSS.search(rollup)
    return int(found[1]) if found else 0
