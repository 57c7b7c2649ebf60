"""The environment that a browser gets: this process's own, with its litter kept in the slot."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# A browser makes a socket below TMPDIR, and ends at once where that path is too long for one.
_SOCKET_PATH_BYTES = 104
_SOCKET_NAME_BYTES = len("/com.google.Chrome.canary.XXXXXX/SingletonSocket")
LONGEST_TMPDIR_BYTES = _SOCKET_PATH_BYTES - 1 - _SOCKET_NAME_BYTES

_OURS = "IPFS_ACCELERATE_"


def environment(environ: Mapping[str, str], slot: Path, temporary: str | None) -> dict[str, str]:
    """Give what the browser sees; our variables, some of them secret, are none of its business."""
    kept = {name: value for name, value in environ.items() if not name.startswith(_OURS)}
    kept["XDG_CACHE_HOME"] = str(slot / "cache")
    kept["XDG_CONFIG_HOME"] = str(slot / "config")
    if temporary:
        kept["TMPDIR"] = temporary
    return kept


def name_for(folder: Path, folder_fd: int) -> str | None:
    """Name the open `folder` so that it is short enough for TMPDIR.

    On Linux any folder that is open here has one. Elsewhere there may be none: then the
    system's own, which is this user's alone, has to do.
    """
    if len(os.fsencode(folder)) <= LONGEST_TMPDIR_BYTES:
        return str(folder)
    if sys.platform.startswith("linux"):
        return f"/proc/{os.getpid()}/fd/{folder_fd}"
    return None
