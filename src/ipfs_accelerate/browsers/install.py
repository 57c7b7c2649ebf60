"""Installs and removes the portable browser: whole or not at all, whoever else does so meanwhile.

Everything is made in a folder of its own, which gets its name when it is complete. Only who holds
the lock makes such folders, so one that is found is of a program that was killed.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ipfs_accelerate.browsers import portable
from ipfs_accelerate.browsers.download import fetch
from ipfs_accelerate.browsers.libraries import missing_libraries, refuse_without
from ipfs_accelerate.browsers.node import Node, find_node
from ipfs_accelerate.browsers.unpack import unpack, unpack_libraries
from ipfs_accelerate.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Progress = Callable[[str, int, int], None]

_UNFINISHED = ".unfinished-"
_STEPS = 2


def install(on_progress: Progress) -> bool:
    """Install the portable browser; False where it is there already.

    `on_progress` is called with a stage (fetch, unpack), how much is done, and of how much.
    """
    portable.refuse_elsewhere()
    if portable.folder().exists():
        return False
    with _alone() as shelf:
        if portable.folder().exists():  # by whoever held the lock before
            return False
        with _scratch(shelf) as scratch:
            _make(scratch, on_progress).rename(portable.folder())
    return True


def remove() -> list[Path]:
    """Remove every version, and what a killed install left; gives the folders that are gone."""
    with _alone() as shelf:
        gone = portable.installed_folders()
        with _scratch(shelf) as scratch:
            for folder in gone:
                folder.rename(scratch / folder.name)
    return gone


def _make(scratch: Path, on_progress: Progress) -> Path:
    node = find_node()
    total = portable.DOWNLOAD_BYTES
    packed = fetch(node, scratch, lambda done: on_progress("fetch", done, total))
    made = scratch / "browser"
    made.mkdir()
    for number, _ in enumerate(unpack(node, packed, scratch, made)):
        on_progress("unpack", number, _STEPS)
    _complete(node, packed, scratch, made)
    on_progress("unpack", _STEPS, _STEPS)
    return made


def _complete(node: Node, packed: Path, scratch: Path, made: Path) -> None:
    """The package brings most of its libraries; the system's own are better, where they are."""
    program, libraries = made / "chromium", made / "lib"
    if missing_libraries(program):
        unpack_libraries(node, packed, scratch, libraries)
        refuse_without(program, libraries)


@contextmanager
def _alone() -> Iterator[Path]:
    """Hold the lock of the shelf; it ends with this process, however that dies."""
    shelf = portable.shelf()
    try:
        shelf.mkdir(parents=True, exist_ok=True)
        with (shelf / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for left in shelf.glob(f"{_UNFINISHED}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield shelf
    except OSError as error:
        raise ConfigError(
            f"A browser can't be kept in {shelf} ({error.filename or shelf}: {error.strerror}).",
            hint="Free some space, make it writable, or set IPFS_ACCELERATE_CACHE to a folder"
            " elsewhere.",
        ) from error


@contextmanager
def _scratch(shelf: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=shelf))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
