"""Which shared libraries a program misses here, and which packages bring them."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import BrowserError

if TYPE_CHECKING:
    from pathlib import Path

_MISSING = re.compile(r"^\s*(\S+) => not found$", re.MULTILINE)
# By Debian's names, which Ubuntu shares; the second of two is what newer ones call it.
_PACKAGES = {
    "libnspr4.so": "libnspr4",
    "libplc4.so": "libnspr4",
    "libplds4.so": "libnspr4",
    "libnss3.so": "libnss3",
    "libnssutil3.so": "libnss3",
    "libexpat.so.1": "libexpat1",
    "libgcc_s.so.1": "libgcc-s1",
}


def missing_libraries(program: Path, beside: Path | None = None) -> list[str]:
    """Name the libraries that `program` would not find, also looking in the folder `beside`."""
    environ = {**os.environ, "LC_ALL": "C"}
    if beside is not None:
        environ["LD_LIBRARY_PATH"] = str(beside)
    try:
        done = subprocess.run(  # noqa: S603 - the system's, or the error below
            ["ldd", str(program)],  # noqa: S607 - its place differs
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return []  # nobody knows: its start will tell
    if done.returncode:
        return ["a loader that can read it (musl's can't)"]
    return sorted(set(_MISSING.findall(done.stdout)))


def packages_for(libraries: list[str]) -> list[str]:
    """Name the packages that bring them, where they are known."""
    return sorted({_PACKAGES[name] for name in libraries if name in _PACKAGES})


def refuse_without(program: Path, beside: Path | None = None) -> None:
    """An error where a library is missing, with the command that brings it."""
    missing = missing_libraries(program, beside)
    if not missing:
        return
    packages = packages_for(missing)
    hint = f"Install them: `apt-get install {' '.join(packages)}`." if packages else None
    raise BrowserError(
        f"The portable browser can't run here; it lacks {', '.join(missing)}.",
        code="browser_not_found",
        hint=hint or "Take a system with glibc, such as Debian, or install Chromium's package.",
    )
