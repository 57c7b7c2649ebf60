"""What platforms measured on this machine, remembered from run to run.

It only says where to begin: what a result says of itself comes from the engine that ran it.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.pool.platforms import Ability, candidates

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_FORMAT = 1


class Measured:
    """The platforms of one browser that `auto` chooses from, in a file of the cache folder.

    They hold for that program as it is now, with this many threads and this launch; whatever
    differs is measured anew.
    """

    def __init__(self, folder: Path, program: Path, threads: int, launch: str = "") -> None:
        self._file = folder / "measured.json"
        self._key = f"{program} {_stamp(program)} {threads} {launch}"

    def abilities(self) -> list[Ability]:
        """What was measured; empty where nothing was."""
        kept = self._read().get(self._key, [])
        with contextlib.suppress(TypeError, ValueError):
            return [
                Ability(str(name), str(device), gflops=float(gflops))
                for name, device, gflops in kept
            ]
        return []

    def best(self) -> str | None:
        """The fastest platform, where they were measured."""
        known = self.abilities()
        return max(known, key=lambda one: one.gflops).platform if known else None

    def remember(self, abilities: Sequence[Ability]) -> None:
        """Keep what was measured; where that can't be written, it is measured again next time."""
        kept = [[one.platform, one.device, round(one.gflops, 3)] for one in candidates(abilities)]
        whole = {"format": _FORMAT, "measured": self._read() | {self._key: kept}}
        fresh = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            fresh.write_text(json.dumps(whole, indent=1), "utf-8")
            fresh.replace(self._file)

    def forget(self) -> None:
        """Measure again at the next start."""
        self.remember([])

    def _read(self) -> dict[str, Any]:
        try:
            whole = json.loads(self._file.read_text("utf-8"))
            return dict(whole["measured"]) if whole["format"] == _FORMAT else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}


def _stamp(program: Path) -> str:
    try:
        found = program.resolve().stat()
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"
