"""Folders and files of this user alone, and what is said when the disk refuses them."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import AccelerateError, BrowserError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn what the disk refuses below `path` into errors of the tree."""
    try:
        yield
    except OSError as error:
        raise _translated(error, path) from error


def _translated(error: OSError, path: Path) -> AccelerateError:
    blocked = isinstance(error, (FileExistsError, NotADirectoryError))
    what = f"{error.filename or path}: {'Not a folder' if blocked else error.strerror}"
    if error.errno in _FULL:
        return BrowserError(
            f"There is no room for a browser's profile ({what}).",
            hint="Free some space on that disk, or set `cache_dir` to a folder on another.",
        )
    return ConfigError(
        f"A browser's profile can't be kept in {path} ({what}).",
        hint="Make that folder writable for this user, or set `cache_dir` to another.",
    )


def private_folder(path: Path) -> Path:
    """Make `path`, readable by this user alone, and its parents where they are missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
    path.chmod(0o700)
    return path


def write_private(path: Path, text: str) -> None:
    """Write a file that this user alone can read, from its first byte on."""
    path.unlink(missing_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)
