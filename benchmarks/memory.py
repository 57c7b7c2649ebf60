"""memory: what MiniLM takes in the browser, above a page with the runtime and a tiny model."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import sleep
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.browser_size import (
    BASE_S,
    PATIENCE_S,
    STILL_MB,
    BrowserSize,
    on_strangers,
    tiny_model,
)
from benchmarks.memory_sampler import followed
from benchmarks.report import Figure, Group, Report, Sample
from benchmarks.statistics import Target
from ipfs_accelerate import Accelerator
from ipfs_accelerate.models import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benchmarks.setting import Setting

BROWSERS = 5
QUICK = 1
ROUNDS = 3
WEIGHTS_MB = 90.9
TEXT = "A sentence goes in, and a vector comes out."
TOLERANCE = 0.1


@dataclass(slots=True)
class Browser:
    """What one browser took, in MB above its base, round by round."""

    size: BrowserSize
    base: float = 0.0
    peak: list[float] = field(default_factory=list)
    settled: list[float] = field(default_factory=list)
    unloaded: list[float] = field(default_factory=list)
    sample_ms: list[float] = field(default_factory=list)


def run(setting: Setting) -> Report:
    """Load, run and unload MiniLM, three times in each fresh browser."""
    count = setting.long_pairs(BROWSERS, quick=QUICK)
    browsers: list[Browser] = []
    tiny = tiny_model(setting.folder / "tiny.onnx")
    for number in range(count):
        browsers.append(_measure(setting, tiny))
        setting.on_step("memory", number + 1, count)
    every_ms = float(np.median([each for one in browsers for each in one.sample_ms]))
    return Report(
        name="memory",
        title="MiniLM in the browser, above a page with the runtime and a tiny model",
        conditions=[
            f"{count} fresh browsers, {ROUNDS} rounds of load, run and unload in each",
            f"PSS of all the browser's processes; 1 MB is 10^6 bytes; the weights {WEIGHTS_MB} MB",
            f"base: taken {BASE_S:g} s after the tiny model ran",
            f"settled: {browsers[0].size.still_s:g} s within {STILL_MB:g} MB, or {PATIENCE_S:g} s",
            f"peak: the most of samples taken {every_ms:.0f} ms apart while it loads",
            f"third round less first: the tolerance is {TOLERANCE:g} of the weights",
            f"{setting.threads} WASM threads; remember=False: each round computes its vector",
            on_strangers(one.size for one in browsers),
        ],
        groups=[_against_targets(browsers), _all_rounds(browsers)],
    )


def _measure(setting: Setting, tiny: Path) -> Browser:
    with Accelerator(**setting.options) as accelerator:
        accelerator.run(tiny, {"x": np.zeros(4, np.float32)})
        found = Browser(BrowserSize.of(None, quick=setting.quick))
        sleep(BASE_S)
        found.base = found.size.settled()
        for _ in range(ROUNDS):
            _round(accelerator, found)
        return found


def _round(accelerator: Accelerator, found: Browser) -> None:
    with followed(found.size.pid) as samples:
        accelerator.load()
    moments, sizes = zip(*samples, strict=True)
    found.peak.append(max(sizes) - found.base)
    found.sample_ms.extend(1000 * np.diff(moments))
    accelerator.embed(TEXT)
    found.settled.append(found.size.settled() - found.base)
    accelerator.unload(DEFAULT)
    found.unloaded.append(found.size.settled() - found.base)


def _against_targets(browsers: Sequence[Browser]) -> Group:
    def figure(name: str, of: Callable[[Browser], float], most: float) -> Figure:
        values = [of(one) / WEIGHTS_MB for one in browsers]
        return Figure(Sample(name, "times", values), Target("at most", most))

    return Group(
        "as multiples of the weights",
        [
            figure("settled after one run", lambda one: one.settled[0], 1.4),
            figure("peak while loading", lambda one: one.peak[0], 2.9),
            figure(
                "unloaded, third round less first",
                lambda one: one.unloaded[-1] - one.unloaded[0],
                TOLERANCE,
            ),
            figure(
                "settled, third round less first",
                lambda one: one.settled[-1] - one.settled[0],
                TOLERANCE,
            ),
        ],
    )


def _all_rounds(browsers: Sequence[Browser]) -> Group:
    figures = [Figure(Sample("base: runtime and tiny model", "MB", [one.base for one in browsers]))]
    for number in range(ROUNDS):
        for name in ("peak", "settled", "unloaded"):
            values = [getattr(one, name)[number] for one in browsers]
            figures.append(Figure(Sample(f"round {number + 1}: {name}", "MB", values)))
    return Group("MB above the base", figures)
