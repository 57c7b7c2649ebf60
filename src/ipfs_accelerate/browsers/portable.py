"""The portable browser: a headless Chromium out of a registry's package, in the cache folder.

It needs neither root nor an installer, and its WebNN really works, on the CPU. It has no way to a
GPU: so it is taken where it is asked for, or where no other browser is.
"""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING

from ipfs_accelerate.browsers.places import Candidate
from ipfs_accelerate.config import cache_dir
from ipfs_accelerate.errors import BrowserError

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "@sparticuz/chromium"
VERSION = "147.0.2"
INTEGRITY = (
    "sha512-"
    "oqXyPAlGQuT9wdZAhcx4nmhehVgEsDc2adL/+FlX8qsLh/YyOgl9GQp8dPMDIBRmktxgA9c1QSNJIQUj2UeHhQ=="
)
DOWNLOAD_BYTES = 68_307_808

COMMAND = "ipfs-accelerate browser install"
NOTICE = (
    "No other browser was found, so the portable one is used. It reaches no GPU: install Chrome or"
    " Chromium to use one."
)
_PREFIX = "portable-"
_PROGRAM = "chromium"


def shelf() -> Path:
    """The folder of portable browsers, of whatever version."""
    return cache_dir().absolute() / "browsers"


def folder() -> Path:
    """Where this version is, or will be."""
    return shelf() / f"{_PREFIX}{VERSION}"


def candidate() -> Candidate:
    """Where its program is, if it is installed."""
    return Candidate("portable", folder() / _PROGRAM)


def installed_folders() -> list[Path]:
    """Those of every version that is there."""
    return sorted(shelf().glob(f"{_PREFIX}*"))


def is_portable(program: Path) -> bool:
    """Whether this program is a portable browser of any version."""
    return program.name == _PROGRAM and program.parent.name.startswith(_PREFIX)


def version_in(program: Path) -> str:
    """The version of its package, which is that of its folder."""
    return program.parent.name.removeprefix(_PREFIX)


def supported() -> bool:
    """Whether its package has a program for this machine."""
    return sys.platform.startswith("linux") and platform.machine() in ("x86_64", "AMD64")


def refuse_elsewhere() -> None:
    """An error where its package has no program for this machine."""
    if not supported():
        raise BrowserError(
            f"The portable browser is for Linux on x86-64; this is {sys.platform} on"
            f" {platform.machine()}.",
            code="browser_not_found",
            hint="Install Chrome, Chromium, Edge or Firefox.",
        )


def missing() -> BrowserError:
    """Make the error for a portable browser that was asked for and isn't there."""
    refuse_elsewhere()
    return BrowserError(
        f"The portable browser isn't installed; looked at {folder()}.",
        code="browser_not_found",
        hint=f"Install it by `{COMMAND}`.",
    )
