"""A browser of its own that holds a scenario's models, with sharing off or on."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ipfs_accelerate import AsyncAccelerator
from ipfs_accelerate.models.components import components_of, held_bytes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from benchmarks.setting import Setting
    from benchmarks.sharing_models import Scenario
    from ipfs_accelerate.pool import Worker
    from ipfs_accelerate.result import Result

BROWSER = "portable"
PLATFORMS = ("wasm", "webnn")
AUTO = "auto"
OFF = {"share": False, "remember": False}
ON = {"share": True, "remember": True}
CUT = {"share": True, "remember": False}


class Ran(NamedTuple):
    """A round: the milliseconds of its calls, those of them in the engine, and the results."""

    calls_ms: float
    engine_ms: float
    results: list[Result]


class Held(NamedTuple):
    """Bytes of weights that an engine holds: by its own tally, and by the layouts in force."""

    tally: int
    layouts: int
    gflops: float
    """of the platform, by which it was decided what to cut; 0 where nobody measured it"""


NOTHING = Held(0, 0, 0.0)


@dataclass(frozen=True, slots=True)
class Side:
    """One browser and its models."""

    accelerator: AsyncAccelerator
    scenario: Scenario
    platform: str

    async def round(self, number: int, models: Sequence[int]) -> Ran:
        """Call these of the models, one after another, each with what the round has for it."""
        given = self.scenario.inputs(number)
        names = self.scenario.models
        began = perf_counter()
        results = [await self.accelerator.run(names[one], given[one]) for one in models]
        calls_ms = (perf_counter() - began) * 1000
        for result in results:
            elsewhere = self.platform not in (result.platform, AUTO)
            if elsewhere or result.fell_back or result.cached:
                raise RuntimeError(f"It did not run as asked: {result}")
        engine_ms = sum(one.performance_metrics["engine_ms"] for one in results)
        return Ran(calls_ms, engine_ms, results)

    async def held(self) -> Held:
        """What the engine holds now."""
        worker = self._worker()
        tally = await worker.tally()
        components = components_of(one.layout for one in worker.library.models.values())
        return Held(tally["weight_bytes"], held_bytes(components.values()), _gflops(worker))

    def cut(self) -> bool:
        """Whether its models are laid out as components."""
        layouts = [one.layout for one in self._worker().library.models.values()]
        return not any(layout.is_whole for layout in layouts)

    def _worker(self) -> Worker:
        pool = self.accelerator._pool  # noqa: SLF001 - no caller of the product needs its tally
        assert pool is not None
        (worker,) = pool._workers.values()  # noqa: SLF001 - as above
        return worker


def _gflops(worker: Worker) -> float:
    """Of the platform on which its models are."""
    return max(one.ability.gflops for one in worker.library.models.values())


def options_of(setting: Setting, platform: str, sharing: Mapping[str, bool]) -> dict[str, Any]:
    """The accelerator's options for one side."""
    return {**setting.options, "browser": BROWSER, "platform": platform, **sharing}


@asynccontextmanager
async def side(
    setting: Setting, scenario: Scenario, platform: str, sharing: Mapping[str, bool]
) -> AsyncIterator[Side]:
    """A fresh browser, which holds nothing yet: the first round loads."""
    async with AsyncAccelerator(**options_of(setting, platform, sharing)) as accelerator:
        yield Side(accelerator, scenario, platform)


def check_equal(name: str, one: Ran, other: Ran) -> None:
    """An error where two sides do not compute the same."""
    for ours, theirs in zip(one.results, other.results, strict=True):
        for output, array in ours.output_tensors.items():
            if not np.allclose(array, theirs.output_tensors[output], rtol=1e-4, atol=1e-4):
                raise RuntimeError(f"{name}: {ours.model_name} computes another {output}.")
