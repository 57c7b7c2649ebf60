"""The page that browsers open: where its files lie, and the path that they are served under."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ipfs_accelerate.errors import ConfigError

PAGE = Path(__file__).parent / "page"


def home_of(page: Path) -> str:
    """The path that the page's files stand under: another one for each build.

    Under it they never change, so a browser keeps them without asking. Only so does it also keep
    the WASM that it has compiled and optimised.
    """
    record = page / "build.json"
    if not record.is_file():
        raise ConfigError(
            f"The page that browsers open is not in {page}.",
            hint="In a checkout, `make setup` builds it; else install the package again.",
        )
    return f"/page-{hashlib.sha256(record.read_bytes()).hexdigest()[:16]}/"
