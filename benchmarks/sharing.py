"""sharing: models that hold and compute once what is equal in them, against the same ones alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from benchmarks import sharing_memory
from benchmarks.report import Report
from benchmarks.sharing_conditions import conditions
from benchmarks.sharing_held import by_default
from benchmarks.sharing_held import group as held_group
from benchmarks.sharing_models import scenarios
from benchmarks.sharing_planning import beside_loading, large
from benchmarks.sharing_sides import ON, PLATFORMS
from benchmarks.sharing_times import OTHER, comparisons, measure, trials

if TYPE_CHECKING:
    from benchmarks.report import Comparison, Group
    from benchmarks.setting import Setting
    from benchmarks.sharing_models import Scenarios


def run(setting: Setting) -> Report:
    """Times first, in pairs; then memory, in browsers of their own; then what planning takes."""
    found = scenarios(setting)
    times, held = asyncio.run(_times(setting, found))
    for platform in PLATFORMS:
        times += beside_loading(setting, found.text, platform)
    measured = sharing_memory.measure(setting, found)
    return Report(
        name="sharing",
        title="models that share what is equal in them, against the same ones with sharing off",
        conditions=conditions(setting, found.missing, measured),
        comparisons=times,
        groups=[*sharing_memory.groups(measured, found), *held, large(setting)],
    )


async def _times(setting: Setting, found: Scenarios) -> tuple[list[Comparison], list[Group]]:
    times: list[Comparison] = []
    groups: list[Group] = []
    for trial in trials(found):
        held = {}
        for platform in PLATFORMS:
            taken = await measure(setting, trial, platform)
            times += comparisons(trial, platform, taken)
            held[platform] = (taken[OTHER].held, taken[trial.ours].held)
        if trial.sharing == ON and len(trial.scenario.models) > 1:
            unlike = trial.scenario is found.unlike
            groups.append(held_group(setting, trial.scenario, held, unlike=unlike))
    return times, [*groups, await by_default(setting, found.text)]
