"""Unpacks the portable browser's package: a tar of brotli files, some of them tars again."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import BrowserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ipfs_accelerate.browsers.node import Node

# Node is there to fetch the package, and Python has no brotli of its own.
_UNBROTLI = (
    "const {pipeline} = require('node:stream');"
    "pipeline(process.stdin, require('node:zlib').createBrotliDecompress(), process.stdout,"
    " (error) => { if (error) { console.error(error.message); process.exit(1); } });"
)
_PROGRAM = "package/bin/chromium.br"
_BESIDE = "package/bin/swiftshader.tar.br"
_LIBRARIES = "package/bin/al2023.tar.br"


def unpack(node: Node, packed: Path, scratch: Path, into: Path) -> Iterator[str]:
    """Unpack the program and its rasteriser into `into`; gives the name of each file's step."""
    yield "the program"
    program = _decompressed(node, packed, _PROGRAM, into / "chromium")
    program.chmod(0o755)
    yield "the software rasteriser"
    _untar(_decompressed(node, packed, _BESIDE, scratch / "beside.tar"), into)


def unpack_libraries(node: Node, packed: Path, scratch: Path, into: Path) -> None:
    """Unpack the libraries that the package brings for machines without them."""
    into.mkdir()
    _untar(_decompressed(node, packed, _LIBRARIES, scratch / "libraries.tar"), into)


def _decompressed(node: Node, packed: Path, member: str, target: Path) -> Path:
    compressed = target.with_name(f"{target.name}.br")
    with tarfile.open(packed) as archive:
        found = archive.extractfile(member)
        assert found is not None  # noqa: S101 - the package's hash is pinned: it is a file there
        with found, compressed.open("wb") as file:
            shutil.copyfileobj(found, file, 1 << 20)
    with compressed.open("rb") as source, target.open("wb") as file:
        done = subprocess.run(  # noqa: S603 - a program of ours
            [node.node, "-e", _UNBROTLI], stdin=source, stdout=file, stderr=subprocess.PIPE,
            check=False,
        )  # fmt: skip
    compressed.unlink()
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise BrowserError(
            f"{PurePosixPath(member).name} of the portable browser could not be unpacked: {said}.",
            code="browser_not_found",
            hint="Look at the room on the disk, and try again.",
        )
    return target


def _untar(archive: Path, into: Path) -> None:
    """Plain files by their own names, whatever folders the archive has: nothing gets outside."""
    with tarfile.open(archive) as opened:
        for member in opened:
            source = opened.extractfile(member) if member.isfile() else None
            if source is not None:
                with source, (into / PurePosixPath(member.name).name).open("wb") as file:
                    shutil.copyfileobj(source, file)
    archive.unlink()
