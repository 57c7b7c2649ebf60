"""roundtrip: an empty question to the engine and its answer, against Playwright's `evaluate`."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from benchmarks.playwright_peer import async_page, sync_page
from benchmarks.report import Comparison, Report, Sample
from benchmarks.statistics import Target
from benchmarks.timing import time_async, time_sync
from ipfs_accelerate import Accelerator, AsyncAccelerator

if TYPE_CHECKING:
    from benchmarks.setting import Setting

PAIRS = 1000
QUICK = 50
WARM_UP = 30
OURS = "accelerator.ping()"
THEIRS = 'page.evaluate("1")'


def run(setting: Setting) -> Report:
    """Ping both faces, each beside the Playwright of its kind."""
    pairs = setting.pairs(PAIRS, quick=QUICK)
    asynchronous = asyncio.run(_asynchronous(setting, pairs))
    # Playwright's blocking face needs a thread in which no loop runs.
    with ThreadPoolExecutor(1) as thread:
        blocking = thread.submit(_blocking, setting, pairs).result()
    return Report(
        name="roundtrip",
        title="a tiny round trip, against Playwright",
        conditions=[
            f"{pairs} interleaved pairs after {WARM_UP} of warm-up, one call each",
            "two Chromiums of the same binary with the same flags, both idle otherwise",
            "ours is answered by the engine's Worker, Playwright's by an empty page",
        ],
        comparisons=[
            _comparison("async", asynchronous, Target("at least", 2.5)),
            _comparison("sync", blocking, Target("at least", 1.8)),
        ],
    )


async def _asynchronous(setting: Setting, pairs: int) -> dict[str, list[float]]:
    async with AsyncAccelerator(**setting.options) as ours, async_page(setting.folder) as page:
        return await time_async(
            {OURS: ours.ping, THEIRS: lambda: page.evaluate("1")},
            pairs,
            warm_up=WARM_UP,
            on_round=lambda number: setting.on_step("roundtrip, async", number, pairs),
        )


def _blocking(setting: Setting, pairs: int) -> dict[str, list[float]]:
    with Accelerator(**setting.options) as ours, sync_page(setting.folder) as page:
        return time_sync(
            {OURS: ours.ping, THEIRS: lambda: page.evaluate("1")},
            pairs,
            warm_up=WARM_UP,
            on_round=lambda number: setting.on_step("roundtrip, sync", number, pairs),
        )


def _comparison(face: str, taken: dict[str, list[float]], target: Target) -> Comparison:
    return Comparison(
        label=f"{face}: times faster than Playwright",
        ours=Sample(OURS, "ms", taken[OURS]),
        other=Sample(THEIRS, "ms", taken[THEIRS]),
        by="ratio",
        target=target,
    )
