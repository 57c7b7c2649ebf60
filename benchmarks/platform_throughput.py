"""How many texts a second the best ways do: one after another, in batches, by two workers."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.pairs import interleaved
from benchmarks.platform_models import FP32, INT8, feeds
from benchmarks.platform_sides import natively, options_of, place_name, through
from benchmarks.report import Figure, Group, Sample
from ipfs_accelerate import AsyncAccelerator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchmarks.platform_sides import Feeds, Run
    from benchmarks.setting import Setting

ROUNDS = 10
QUICK = 1
TEXTS = 32
QUICK_TEXTS = 8
WARM_UP = 3
_SEEDS = count(1_000_000)
"""No text of a round comes again, nor any of the calls that are timed one by one."""


BATCHES = (1, 4, 8)
WORKERS = (("webnn", FP32, 1, 1), ("webnn", FP32, 1, 2), ("wasm", INT8, 2, 1), ("wasm", INT8, 1, 2))
"""Platform, precision, threads of each worker, workers: the fastest of each kind."""
NATIVE = ((FP32, 2), (INT8, 2))
AHEAD = 2
"""Calls under way for each worker: while it runs one, the next one's bytes come."""


@dataclass(frozen=True)
class Way:
    """How texts are put through: so many in a call, and so many calls for each worker."""

    where: str
    runs: Sequence[Run]
    """one for each worker"""
    batch: int
    ahead: int

    @property
    def name(self) -> str:
        """As the table calls it."""
        return f"{self.where}, batches of {self.batch}" if self.batch > 1 else self.where

    async def texts_a_second(self, texts: int, tokens: int) -> float:
        """Put so many texts through, none of them a second time."""
        size = max(texts // self.batch, 1)
        calls: list[Feeds] = [feeds(next(_SEEDS), self.batch, tokens) for _ in range(size)]
        began = perf_counter()
        # In turns, so that few calls are not all taken for one worker.
        await asyncio.gather(*(_take(run, calls) for _ in range(self.ahead) for run in self.runs))
        return size * self.batch / (perf_counter() - began)

    async def warm_up(self, tokens: int) -> None:
        """Have each worker load the model and run it in this shape."""
        for run in self.runs:
            for _ in range(WARM_UP):
                await run(feeds(next(_SEEDS), self.batch, tokens))


async def _take(run: Run, calls: list[Feeds]) -> None:
    while calls:
        await run(calls.pop())


async def throughput(
    setting: Setting, models: Mapping[str, Path], lengths: Sequence[int]
) -> list[Group]:
    """A table for each length; the ways take turns."""
    rounds = setting.long_pairs(ROUNDS, quick=QUICK)
    async with AsyncExitStack() as stack:
        ways = await _ways(setting, models, stack)
        few = setting.quick
        return [
            await _group(setting, ways, rounds, QUICK_TEXTS if few else TEXTS, tokens)
            for tokens in (lengths[:1] if few else lengths)
        ]


async def _ways(setting: Setting, models: Mapping[str, Path], stack: AsyncExitStack) -> list[Way]:
    batches = BATCHES[:1] if setting.quick else BATCHES
    ways = []
    for platform, precision, threads, workers in WORKERS:
        runs = []
        for _ in range(workers):
            accelerator = AsyncAccelerator(**options_of(setting, platform, threads))
            await stack.enter_async_context(accelerator)
            runs.append(through(accelerator, models[precision], platform))
        where = f"{place_name(platform, threads)} {precision}"
        where = f"{where}, {workers} workers" if workers > 1 else where
        ways += [Way(where, runs, batch, AHEAD) for batch in batches]
    for precision, threads in NATIVE:
        side = natively(models, precision, threads, idle_s=0.0)
        ways += [Way(side.name, [side.run], batch, 1) for batch in batches]
    return ways


async def _group(setting: Setting, ways: list[Way], rounds: int, texts: int, tokens: int) -> Group:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for way in ways:
        await way.warm_up(tokens)
    for number, way in interleaved(ways, rounds):
        found[way.name].append(await way.texts_a_second(texts, tokens))
        setting.on_step(f"platforms, {tokens} tokens a second", number + 1, rounds)
    figures = [Figure(Sample(name, "", values)) for name, values in found.items()]
    return Group(f"texts of {tokens} tokens a second", figures)
