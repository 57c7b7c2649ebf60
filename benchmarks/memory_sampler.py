"""Follows the memory of a browser, in a process of its own so as not to slow the host.

`python -m benchmarks.memory_sampler PID` measures until its standard input ends, then prints each
moment and size as JSON.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from ipfs_accelerate.browsers import pss_mb

if TYPE_CHECKING:
    from collections.abc import Iterator

EVERY_S = 0.02
MB_PER_MIB = 1.048576
ROOT = Path(__file__).parents[1]


def megabytes(pid: int) -> float:
    """The proportional size of the browser and all its processes, in millions of bytes."""
    mebibytes = pss_mb(pid)
    if mebibytes is None:
        raise RuntimeError(f"This system does not tell the memory of process {pid}; Linux does.")
    return mebibytes * MB_PER_MIB


@contextmanager
def followed(pid: int) -> Iterator[list[tuple[float, float]]]:
    """A list of moments and sizes, which is filled when the block ends."""
    found: list[tuple[float, float]] = []
    sampler = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.memory_sampler", str(pid)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert sampler.stdout is not None
    try:
        sampler.stdout.readline()  # it has begun
        yield found
    finally:
        told, _ = sampler.communicate()
    found.extend((moment, size) for moment, size in json.loads(told))


def _follow(pid: int) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    while True:
        began = perf_counter()
        found.append((began, megabytes(pid)))
        wait_s = max(0.0, began + EVERY_S - perf_counter())
        if select.select([sys.stdin], [], [], wait_s)[0]:
            return found


if __name__ == "__main__":
    print("begun", flush=True)
    print(json.dumps(_follow(int(sys.argv[1]))))
