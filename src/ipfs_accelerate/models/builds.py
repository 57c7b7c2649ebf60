"""What was built from which files, so that a model that is kept is not built again.

The note is a block of its own: the manifest's CID, and the size and change time of every file
that went into it. A file that differs, or a block that is gone, makes the note a miss.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ipfs_accelerate.models.blocks import BlockStore

BUILDER = 3
"""Raised whenever a source is turned into blocks in another way, so that it is done anew."""

Stamps = dict[str, tuple[int, int]]
"""Size and change time (ns) of each file, by its path."""


def stamps_of(paths: Iterable[Path]) -> Stamps:
    """Take the stamps of these files as they are now."""
    return {str(path): _stamp(path) for path in paths}


def remember(store: BlockStore, key: str, manifest: Manifest, stamps: Stamps) -> None:
    """Keep the manifest, and note under `key` that these files gave it.

    Take the stamps before reading the files: a change in between is then noticed.
    """
    cid = store.put(manifest.to_json()).cid
    note = {"manifest": cid, "files": {path: list(stamp) for path, stamp in stamps.items()}}
    store.remember(key, store.put(json.dumps(note, sort_keys=True).encode()).cid)


def unchanged(stamps: Stamps) -> bool:
    """Whether these files are as they were; a look at each, and no more."""
    try:
        return all(_stamp(Path(path)) == stamp for path, stamp in stamps.items())
    except OSError:
        return False


def files_of(store: BlockStore, key: str) -> Stamps:
    """The files that gave what is noted under `key`, as they were then."""
    cid = store.recall(key)
    if cid is None:
        return {}
    files = json.loads(store.get(cid))["files"]
    return {path: (size, changed) for path, (size, changed) in files.items()}


def recall(store: BlockStore, key: str) -> Manifest | None:
    """Give the manifest noted under `key`, if its files are unchanged and its blocks there."""
    cid = store.recall(key)
    if cid is None:
        return None
    try:
        note = json.loads(store.get(cid))
        if not all(_stamp(Path(path)) == tuple(old) for path, old in note["files"].items()):
            return None
        manifest = Manifest.from_json(store.get(note["manifest"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ModelError):
        return None
    return manifest if all(store.holds(block) for block in manifest.blocks()) else None


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns
