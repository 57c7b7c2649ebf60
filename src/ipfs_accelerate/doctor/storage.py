"""Looks at the cache folder, and at the packages of models."""

from __future__ import annotations

import os
import shutil
from importlib import metadata
from typing import TYPE_CHECKING

from ipfs_accelerate.doctor.facts import Cache, Model
from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.catalog import ENTRIES, Entry
from ipfs_accelerate.models.package import find_folder

if TYPE_CHECKING:
    from pathlib import Path

_MB = 1e6


def cache(folder: Path) -> Cache:
    """Give the folder's facts; where it is not there yet, those of the one it will be made in."""
    there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    return Cache(
        folder=str(folder),
        exists=folder.exists(),
        writable=os.access(there, os.W_OK | os.X_OK),
        size_mb=_size(folder) / _MB,
        free_mb=shutil.disk_usage(there).free / _MB,
    )


def models() -> tuple[Model, ...]:
    """Every model that has a name, and whether its package is here and whole."""
    return tuple(
        Model(
            name=entry.name,
            package=entry.package,
            version=_version(entry),
            install=entry.install,
        )
        for entry in ENTRIES
    )


def _version(entry: Entry) -> str:
    try:
        find_folder(entry)
    except ModelError:
        return ""
    return metadata.version(entry.package)


def _size(folder: Path) -> int:
    """What the files take on the disk, which is less than they are long where they have holes."""
    seen: dict[tuple[int, int], int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                found = os.lstat(os.path.join(place, name))  # noqa: PTH118 - as os.walk gives it
            except OSError:  # a browser that runs removes its files as it goes
                continue
            seen[found.st_dev, found.st_ino] = found.st_blocks * 512
    return sum(seen.values())
