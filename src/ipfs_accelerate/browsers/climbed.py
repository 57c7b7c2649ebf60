"""Remembers which rung of the ladder reached the GPU, so that the next start need not climb.

One file in the cache folder, which several machines may share. What is remembered holds for one
machine, browser, version and set of GPUs; anything else is climbed anew. Of two programs that
write at once one may win: then the other's climb is done again, and nothing worse.
"""

from __future__ import annotations

import json
import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.browsers.folders import write_private
from ipfs_accelerate.browsers.gpus import gpus

if TYPE_CHECKING:
    from pathlib import Path

    from ipfs_accelerate.browsers.installed import Installed

FILE = "ladder.json"


@dataclass(frozen=True)
class Climbed:
    """The outcome of a climb: the name of the rung that measured a GPU, or None if none did."""

    rung: str | None


def recall(folder: Path, installed: Installed) -> Climbed | None:
    """What a climb with this browser on this machine led to; None where it is to be climbed."""
    entry = _read(folder / FILE).get(_key(installed))
    if not isinstance(entry, dict) or {**entry, "rung": None} != _entry(installed, None):
        return None
    rung = entry.get("rung")
    return Climbed(rung) if rung is None or isinstance(rung, str) else None


def remember(folder: Path, installed: Installed, rung: str | None) -> None:
    """Keep the name of the rung that measured a GPU, or that none did."""
    file = folder / FILE
    entries = {**_read(file), _key(installed): _entry(installed, rung)}
    fresh = file.with_name(f"{FILE}.{os.getpid()}")
    # A disk that refuses is no reason to stop: the next start climbs again.
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_private(fresh, json.dumps(entries, indent=2, sort_keys=True))
        fresh.replace(file)


def forget(folder: Path) -> None:
    """Forget every climb: the next start of each browser tries its ladder again."""
    (folder / FILE).unlink(missing_ok=True)


def _key(installed: Installed) -> str:
    return f"{platform.node()} {installed.path}"


def _entry(installed: Installed, rung: str | None) -> dict[str, Any]:
    return {"version": installed.version, "gpus": list(gpus()), "rung": rung}


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # nothing is known, and so it is climbed
    return found if isinstance(found, dict) else {}
