"""Blocks on disk, named by their CID, and a small index from what was built to what it gave.

    root/blocks/CID     a block, whole or not there: it is written beside and renamed
    root/index/HASH     the CID that a key led to, as JSON
    root/writing/NAME   what is being written; what a killed process left is swept after an hour

The blocks lie flat, so a graph opened there by native onnxruntime finds its weights beside it.
Any number of threads and processes may use one root.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import tempfile
import time
from pathlib import Path

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.cid import cid_of, digest_of
from ipfs_accelerate.models.manifest import Block

_ABANDONED_S = 3600.0


class BlockStore:
    """Blocks and an index under one folder, which is made when something is first put."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._blocks = root / "blocks"
        self._index = root / "index"
        self._writing = root / "writing"
        self._swept = False

    def put(self, data: bytes | bytearray | memoryview) -> Block:
        """Keep a block; one that is there already is not written again."""
        size = memoryview(data).nbytes
        block = Block(cid_of(data), size)
        target = self._blocks / block.cid
        if _size_of(target) != size:
            self._write(target, data)
        return block

    def path(self, cid: str) -> Path:
        """Name the file of a block, whether it is there or not."""
        digest_of(cid)
        return self._blocks / cid

    def has(self, cid: str) -> bool:
        """Whether the block is there."""
        return self.path(cid).is_file()

    def holds(self, block: Block) -> bool:
        """Whether the block is there with its whole length."""
        return _size_of(self.path(block.cid)) == block.size

    def size(self, cid: str) -> int:
        """Give the block's length in bytes."""
        size = _size_of(self.path(cid))
        if size is None:
            raise self._missing(cid)
        return size

    def get(self, cid: str) -> bytes:
        """Read and check a block; a damaged one is removed, so that it can be made again."""
        path = self.path(cid)
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise self._missing(cid) from None
        if cid_of(data) != cid:
            path.unlink(missing_ok=True)
            raise ModelError(
                f"Block {cid} was damaged on disk and has been removed from {self.root}.",
                code="block_unavailable",
                hint="Load the model again: the block is then made anew.",
                details={"cid": cid},
            )
        return data

    def view(self, cid: str) -> memoryview:
        """Map the block's file into memory, read-only and unchecked."""
        try:
            with self.path(cid).open("rb") as file:
                if os.fstat(file.fileno()).st_size == 0:
                    return memoryview(b"")
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except FileNotFoundError:
            raise self._missing(cid) from None

    def remember(self, key: str, cid: str) -> None:
        """Note that `key` led to the block `cid`."""
        digest_of(cid)
        entry = json.dumps({"key": key, "cid": cid}).encode()
        self._write(self._entry(key), entry)

    def recall(self, key: str) -> str | None:
        """Give the CID noted for `key`; None where there is none, or a damaged note."""
        try:
            entry = json.loads(self._entry(key).read_bytes())
            if entry["key"] != key:
                return None
            cid: str = entry["cid"]
            digest_of(cid)
        except (OSError, ValueError, KeyError, TypeError, ModelError):
            return None
        return cid

    def _entry(self, key: str) -> Path:
        return self._index / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    def _write(self, target: Path, data: bytes | bytearray | memoryview) -> None:
        try:
            self._prepare(target.parent)
            descriptor, name = tempfile.mkstemp(dir=self._writing)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                Path(name).replace(target)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise ModelError(
                f"{target} could not be written: {error.strerror or error}.",
                code="block_unavailable",
                hint="Free space there, or choose another folder for the cache.",
                details={"path": str(target)},
            ) from error

    def _prepare(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._writing.mkdir(parents=True, exist_ok=True)
        if not self._swept:
            self._swept = True
            _sweep(self._writing)

    def _missing(self, cid: str) -> ModelError:
        return ModelError(
            f"Block {cid} is not in {self.root}.",
            code="block_unavailable",
            hint="Load the model that it belongs to again: its blocks are then made anew.",
            details={"cid": cid},
        )


def _size_of(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return None


def _sweep(folder: Path) -> None:
    """Remove what a killed process left; a file that another process takes away is no matter."""
    oldest = time.time() - _ABANDONED_S
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()
