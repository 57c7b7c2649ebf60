"""Fetches a pinned package with npm, which knows this machine's registry, mirror and proxy."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import time
from typing import TYPE_CHECKING

from ipfs_accelerate.browsers import portable
from ipfs_accelerate.errors import BrowserError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ipfs_accelerate.browsers.node import Node

_POLL_S = 0.1
_SHOWN_LINES = 6


def fetch(node: Node, folder: Path, on_bytes: Callable[[int], None]) -> Path:
    """Fetch the portable browser's package into `folder`, checked; tells how much is there."""
    # A cache of its own, since what it holds is how far npm has come; it goes with the folder.
    cache = folder / "npm"
    command = [*node.npm, "pack", f"{portable.PACKAGE}@{portable.VERSION}"]
    command += ["--pack-destination", str(folder), "--cache", str(cache), "--loglevel=error"]
    with (folder / "npm.log").open("w+", encoding="utf-8", errors="replace") as log:
        with subprocess.Popen(  # noqa: S603 - npm, and words that stand in this package
            command,
            cwd=folder,
            env=node.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
        ) as npm:
            try:
                while npm.poll() is None:
                    on_bytes(min(_size(cache), portable.DOWNLOAD_BYTES))
                    time.sleep(_POLL_S)
            except BaseException:
                npm.kill()
                raise
        log.seek(0)
        said = log.read()
    packed = next(folder.glob("*.tgz"), None)
    if npm.returncode or packed is None:
        raise _not_fetched(said)
    _check(packed)
    return packed


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:  # npm has moved it meanwhile
            continue
    return total


def _check(packed: Path) -> None:
    """No byte of it is used before this."""
    with packed.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    found = f"sha512-{base64.b64encode(digest).decode()}"
    if found != portable.INTEGRITY:
        raise BrowserError(
            f"The package {portable.PACKAGE} {portable.VERSION} is not the one that is pinned here:"
            f" its hash is {found}.",
            code="browser_not_found",
            hint="Try again; if it repeats, look at the registry that npm is told to use.",
        )


def _not_fetched(said: str) -> BrowserError:
    lines = "\n".join(f"    {line}" for line in said.splitlines()[:_SHOWN_LINES])
    return BrowserError(
        f"npm could not fetch {portable.PACKAGE} {portable.VERSION}. It said:\n{lines}\n",
        code="browser_not_found",
        hint="Look at the network and at npm's own settings, and try again.",
        details={"log": said},
    )
