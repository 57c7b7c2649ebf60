"""start: from a fresh Python process to its first vector, part by part, cold and warm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.pairs import interleaved
from benchmarks.report import Figure, Group, Report, Sample
from benchmarks.statistics import Target
from ipfs_accelerate.server.port import bind

if TYPE_CHECKING:
    from benchmarks.setting import Setting

STARTS = 15
QUICK = 2
WARM_UP = 2
AIM = Target("at most", 1000)
ROOT = Path(__file__).parents[1]
TOTAL = "all of it: to the first vector"
# Each part ends at its first moment and began at the latest of the others that were before it.
PARTS = {
    "Python's own start": ("python", "began"),
    "import ipfs_accelerate": ("imported", "python"),
    "pool, port, browser's process started": ("browser started", "imported"),
    "from there to the page's hello": ("page said hello", "browser started"),
    "from there to the engine's hello": ("engine said hello", "page said hello"),
    "model resolved (meanwhile)": ("model resolved", "imported"),
    "load asked, once engine and model are there": ("load asked", "engine said hello"),
    "weights fetched": ("weights fetched", "load asked"),
    "session created, WASM compiled": ("session created", "weights fetched"),
    "first run": ("answered", "session created"),
    "result handed over": ("vector in hand", "answered"),
    TOTAL: ("vector in hand", "began"),
}


def run(setting: Setting) -> Report:
    """Start again and again: with nothing kept, and with what the last start left."""
    starts = setting.long_pairs(STARTS, quick=QUICK)
    taken = _measure(setting, starts)
    return Report(
        name="start",
        title="from a fresh Python process to the first vector",
        conditions=[
            f"{starts} interleaved starts of each kind, {setting.threads} WASM threads",
            "cold: a new folder, so the model is built and the browser's profile is new",
            f"warm: a folder that {WARM_UP} starts before have used, at the same port",
            "the system's own file cache is warm for both; no process remembers another's results",
            "1000 ms warm is an aim; the parts add up to the whole, save what runs meanwhile",
        ],
        groups=[
            _group("cold", taken["cold"], None),
            _group("warm", taken["warm"], AIM),
        ],
    )


def _measure(setting: Setting, starts: int) -> dict[str, list[dict[str, float]]]:
    port = _free_port()
    warm = mkdtemp(dir=setting.folder)
    for _ in range(WARM_UP):
        _start(warm, setting.threads, port)
    taken: dict[str, list[dict[str, float]]] = defaultdict(list)
    for number, kind in interleaved(["cold", "warm"], starts):
        folder = warm if kind == "warm" else mkdtemp(dir=setting.folder)
        taken[kind].append(_start(folder, setting.threads, port))
        setting.on_step("start", number + 1, starts)
    return taken


def _start(folder: str, threads: int, port: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.fresh_start", folder, str(threads), str(port)]
    environ = {**os.environ, "IPFS_ACCELERATE_DEBUG": "wire"}
    began = perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True, check=True
    )
    return {"began": began, **json.loads(done.stdout)}


def _free_port() -> int:
    with bind(0) as listening:
        port: int = listening.getsockname()[1]
    return port


def _group(kind: str, starts: list[dict[str, float]], aim: Target | None) -> Group:
    return Group(
        f"{kind} start",
        [
            Figure(
                Sample(part, "ms", [(one[end] - one[start]) * 1000 for one in starts]),
                aim if part == TOTAL else None,
            )
            for part, (end, start) in PARTS.items()
        ],
    )
