"""Which version a browser is, found out without opening it where that is possible."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from ipfs_accelerate.browsers import portable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_VERSION = re.compile(r"\d+(?:\.\d+)+")
_ENOUGH_S = 10.0


def version_of(program: Path) -> str:
    """Read the version from a file beside the program, else ask the program; empty if unknown."""
    if portable.is_portable(program):
        return portable.version_in(program)
    for file in _beside(program):
        if told := _written_in(file):
            return told
    return _told_by(program)


def _beside(program: Path) -> Iterator[Path]:
    """Firefox writes it down beside its program, and on macOS in the folder of resources."""
    folder = program.resolve().parent
    yield folder / "application.ini"
    yield folder.parent / "Resources" / "application.ini"


def _written_in(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r"^Version=(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else ""


def _told_by(program: Path) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the very program that is about to be started
            [str(program), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ENOUGH_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _VERSION.search(done.stdout)
    return found[0] if found else ""
