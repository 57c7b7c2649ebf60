"""platforms: MiniLM where a browser without a GPU runs it, against native onnxruntime."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.pairs import interleaved
from benchmarks.platform_models import FP32, feeds, files
from benchmarks.platform_sides import BROWSER, Ran, Side, all_sides
from benchmarks.platform_throughput import throughput
from benchmarks.report import Comparison, Figure, Group, Report, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.setting import Setting

    Taken = defaultdict[tuple[str, int], list[Ran]]

ROUNDS = 100
QUICK = 3
WARM_UP = 2
LENGTHS = (16, 128)
ALIKE = {FP32: 0.9999, "int8": 0.9}
"""The least cosine to native fp32's vectors: below it a side does not compute the same thing."""


def run(setting: Setting) -> Report:
    """Every side in turn at both lengths; then how many items a second the best of them do."""
    rounds = setting.pairs(ROUNDS, quick=QUICK)
    sides, taken, more = asyncio.run(_measure(setting, rounds))
    return Report(
        name="platforms",
        title="MiniLM in a browser without a GPU, against native onnxruntime",
        conditions=[
            f"{rounds} rounds of all sides at both lengths, turned each time, after {WARM_UP}",
            "one text in each call; no side sees a text twice",
            f"the {BROWSER} browser; a number after wasm and native is that of their threads",
            "int8: dynamic, unsigned, a scale for each channel; its cosine to fp32 stands below",
            "engine: what the engine measured of the run and of bringing the vector back",
            "a ratio is native's time over ours, so above 1 the browser is faster",
        ],
        comparisons=list(_comparisons(sides, taken)),
        groups=[
            *(_times(sides, taken, tokens) for tokens in LENGTHS),
            _cosines(sides, taken),
            *more,
        ],
    )


async def _measure(setting: Setting, rounds: int) -> tuple[list[Side], Taken, list[Group]]:
    models = files(setting.folder)
    taken: Taken = defaultdict(list)
    async with all_sides(setting, models) as sides:
        jobs = [(side, tokens) for tokens in LENGTHS for side in sides]
        for number, (side, tokens) in interleaved(jobs, WARM_UP + rounds):
            # The same for all sides of a round, whose vectors are compared; new in each round.
            ran = await side.run(feeds(number, 1, tokens))
            if number >= WARM_UP:
                taken[side.name, tokens].append(ran)
            setting.on_step("platforms", number + 1, WARM_UP + rounds)
        _check(sides, taken)
    return sides, taken, await throughput(setting, models, LENGTHS)


def _check(sides: list[Side], taken: Taken) -> None:
    for side in sides:
        least = min(cosine for tokens in LENGTHS for cosine in _cosines_of(side, taken, tokens))
        if least < ALIKE[side.precision]:
            raise RuntimeError(f"{side.name} computes something else: its cosine is {least:.4f}.")


def _comparisons(sides: list[Side], taken: Taken) -> Iterator[Comparison]:
    """Each browser's side against native's with its threads and precision, and native's best."""
    for tokens in LENGTHS:
        for side in (one for one in sides if not one.native):
            for peer in dict.fromkeys(
                (f"native {side.threads} {side.precision}", f"native 2 {FP32}")
            ):
                yield Comparison(
                    label=f"{tokens} tokens, {side.name}: times the speed of {peer}",
                    ours=_sample(taken, side.name, tokens, "call_ms"),
                    other=_sample(taken, peer, tokens, "call_ms"),
                    by="ratio",
                )


def _times(sides: list[Side], taken: Taken, tokens: int) -> Group:
    kinds = {"engine_ms": "engine", "call_ms": "whole call"}
    return Group(
        f"{tokens} tokens",
        [
            Figure(_sample(taken, side.name, tokens, kind, f"{side.name}, {words}"))
            for side in sides
            for kind, words in kinds.items()
            if not (side.native and kind == "engine_ms")
        ],
    )


def _cosines(sides: list[Side], taken: Taken) -> Group:
    tokens = LENGTHS[-1]
    rows = [one for one in sides if one.precision != FP32]
    return Group(
        f"cosine to native fp32's vectors, {tokens} tokens",
        [Figure(Sample(one.name, "", _cosines_of(one, taken, tokens))) for one in rows],
    )


def _cosines_of(side: Side, taken: Taken, tokens: int) -> list[float]:
    pairs = zip(taken[side.name, tokens], taken[f"native 2 {FP32}", tokens], strict=True)
    return [_cosine(one.vectors.ravel(), other.vectors.ravel()) for one, other in pairs]


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def _sample(taken: Taken, name: str, tokens: int, kind: str, words: str = "") -> Sample:
    return Sample(words or name, "ms", [getattr(one, kind) for one in taken[name, tokens]])
