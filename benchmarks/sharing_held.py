"""The bytes of weights that engines hold, beside what was planned and what is explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.report import Figure, Group, Sample
from benchmarks.sharing_sides import AUTO, ON, Held, side
from benchmarks.statistics import Target
from ipfs_accelerate.graph import Costs, explain
from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.dags import dag_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.setting import Setting
    from benchmarks.sharing_models import Scenario

EXACTLY = Target("at most", 0)


def group(
    setting: Setting,
    scenario: Scenario,
    held: Mapping[str, tuple[Held, Held]],
    *,
    unlike: bool,
) -> Group:
    """What engines held on each platform, off and on, and by how much every other account errs."""
    return Group(
        f"{scenario.name}: weights held",
        [
            figure
            for platform, (off, on) in held.items()
            for figure in _platform(setting, scenario, platform, off, on, unlike=unlike)
        ],
    )


async def by_default(setting: Setting, scenario: Scenario) -> Group:
    """The same with the platform left to the product, as most callers leave it."""
    async with side(setting, scenario, AUTO, ON) as opened:
        ran = await opened.round(0, range(len(scenario.models)))
        on = await opened.held()
    platform = ran.results[0].platform
    _, every, shared = _accounts(setting, scenario, 0)
    return Group(
        f"{scenario.name}: weights held with platform='auto', which takes {platform}",
        [
            Figure(Sample("on, by the engine's tally", "bytes", [on.tally])),
            Figure(
                Sample("apart from where it is named", "bytes", [abs(on.tally - every + shared)]),
                EXACTLY,
            ),
            Figure(Sample("what its speed was measured as", "GFLOPS", [on.gflops])),
        ],
    )


def _platform(
    setting: Setting, scenario: Scenario, platform: str, off: Held, on: Held, *, unlike: bool
) -> Iterator[Figure]:
    def figure(name: str, size: float, unit: str, target: Target | None = None) -> Figure:
        return Figure(Sample(f"{platform}: {name}", unit, [size]), target)

    files, every, shared = _accounts(setting, scenario, on.gflops)
    none = EXACTLY if unlike else None
    yield figure("off, by the engine's tally", off.tally, "bytes")
    yield figure("on, by the engine's tally", on.tally, "bytes")
    yield figure("off: apart from the files", abs(off.tally - files), "bytes", EXACTLY)
    yield figure("on: apart from the layouts", abs(on.tally - on.layouts), "bytes", EXACTLY)
    explained = abs(on.tally - (every - shared))
    yield figure("on: apart from what explain says", explained, "bytes", EXACTLY)
    yield figure("shared, by the tally", 100 * (1 - on.tally / off.tally), "%", none)
    yield figure("shared, by explain", 100 * shared / every, "%", none)


def _accounts(setting: Setting, scenario: Scenario, gflops: float) -> tuple[int, int, int]:
    """The models' weights beside their graphs; those inside as well; and what is held once.

    Of three models, what all hold once is among what each of the three pairs does.
    """
    store = BlockStore(setting.folder / "cache")
    manifests = {model: resolve(model, store) for model in scenario.models}
    dags = {model: dag_of(manifest, store) for model, manifest in manifests.items()}
    explained = explain(dags, Costs(gflops=gflops or None))
    pairs = sum(one.held for one in explained.sets if len(one.models) == 2)
    together = sum(one.held for one in explained.sets if len(one.models) == 3)
    return (
        sum(manifest.weight_bytes for manifest in manifests.values()),
        sum(one.weight_bytes for one in explained.models.values()),
        pairs - together,
    )
