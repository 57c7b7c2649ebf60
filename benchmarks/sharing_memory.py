"""What models take in the browser with sharing off and on, each in fresh browsers of its own."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from time import sleep
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.browser_size import BASE_S, BrowserSize, tiny_model
from benchmarks.memory_sampler import followed
from benchmarks.pairs import interleaved
from benchmarks.report import Figure, Group, Sample
from benchmarks.sharing_sides import BROWSER, OFF, ON, PLATFORMS, options_of
from benchmarks.statistics import Target, differences, shares
from ipfs_accelerate import Accelerator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from benchmarks.setting import Setting
    from benchmarks.sharing_models import Scenario, Scenarios

BROWSERS = 3
QUICK = 1
QUICK_BASE_S = 5.0
# What loading leaves to the garbage collector goes within some 10 s, up to 85 MB on WebNN.
GARBAGE_S = 20.0
TRIES = 4
SIDES: Mapping[str, Mapping[str, bool]] = {"off": OFF, "on": ON}


class Took(NamedTuple):
    """What one browser took, in MB: its base, and the rest above it."""

    base: float
    peak: float
    settled: float


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that was measured, and the browsers that it was measured of."""

    taken: Mapping[tuple[str, str, str], list[Took]]
    """browser by browser, by scenario, platform and side"""
    sizes: list[BrowserSize]
    base_s: float


def measure(setting: Setting, found: Scenarios) -> Measured:
    """Both sides in turn, on each platform, for each scenario where something is shared."""
    wanted = [one for one in (found.text, found.publishers, found.vision) if one is not None]
    wanted = wanted[:1] if setting.quick else wanted
    jobs = [*product(wanted, PLATFORMS, SIDES)]
    count = setting.long_pairs(BROWSERS, quick=QUICK)
    tiny = tiny_model(setting.folder / "tiny.onnx")
    taken = {(one.name, platform, side): list[Took]() for one, platform, side in jobs}
    measured = Measured(taken, [], QUICK_BASE_S if setting.quick else BASE_S)
    for _, (scenario, platform, side) in interleaved(jobs, count):
        for _ in range(TRIES):
            options = options_of(setting, platform, SIDES[side])
            size, took = _one(setting, scenario, options, tiny=tiny, base_s=measured.base_s)
            if size.undisturbed:
                break
        measured.taken[scenario.name, platform, side].append(took)
        measured.sizes.append(size)
        setting.on_step("sharing, memory", len(measured.sizes), len(jobs) * count)
    return measured


def _one(
    setting: Setting, scenario: Scenario, options: dict[str, Any], *, tiny: Path, base_s: float
) -> tuple[BrowserSize, Took]:
    """One fresh browser: every model loaded, and run once more when all are there."""
    with Accelerator(**options) as accelerator:
        accelerator.run(tiny, {"x": np.zeros(4, np.float32)})
        size = BrowserSize.of(BROWSER, quick=setting.quick)
        sleep(base_s)
        base = size.settled()
        with followed(size.pid) as samples:
            for model, given in zip(scenario.models, scenario.inputs(0), strict=True):
                accelerator.run(model, given)
        for model, given in zip(scenario.models, scenario.inputs(1), strict=True):
            accelerator.run(model, given)
        sleep(GARBAGE_S)
        peak = max(one for _, one in samples)
        return size, Took(base, peak - base, size.settled() - base)


def groups(measured: Measured, found: Scenarios) -> Iterator[Group]:
    """A table for each scenario."""
    for scenario in (found.text, found.publishers, found.vision):
        if scenario is not None and (scenario.name, PLATFORMS[0], "on") in measured.taken:
            rows = [
                figure
                for platform in PLATFORMS
                for figure in _platform(measured, scenario, found, platform)
            ]
            yield Group(f"{scenario.name}, MB above the base", rows)


def _platform(
    measured: Measured, scenario: Scenario, found: Scenarios, platform: str
) -> Iterator[Figure]:
    taken = {side: measured.taken[scenario.name, platform, side] for side in SIDES}
    for words, kind in (("settled", "settled"), ("peak while loading", "peak")):
        for side, browsers in taken.items():
            sizes = [getattr(one, kind) for one in browsers]
            yield Figure(Sample(f"{platform}: {words}, {side}", "MB", sizes))
    off, on = ([one.settled for one in browsers] for browsers in taken.values())
    less = [100 * (1 - share) for share in shares(on, off)]
    guides = "" if scenario is found.publishers else " (the guides claim 33)"
    at_least_55 = Target("at least", 55) if scenario is found.text else None
    yield Figure(Sample(f"{platform}: less by sharing, %{guides}", "%", less), at_least_55)
    if scenario is found.publishers:
        saved = differences(off, on)
        yield Figure(
            Sample(f"{platform}: less by sharing, MB", "MB", saved), Target("at least", 50)
        )
