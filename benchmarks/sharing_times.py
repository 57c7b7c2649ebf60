"""What sharing does to the time of calls: where models share, where they are cut, where neither."""

from __future__ import annotations

from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.pairs import interleaved
from benchmarks.report import Comparison, Sample
from benchmarks.sharing_sides import CUT, NOTHING, OFF, ON, Held, Ran, Side, check_equal, side
from benchmarks.statistics import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.setting import Setting
    from benchmarks.sharing_models import Scenario, Scenarios

ROUNDS = 150
QUICK = 4
BROWSERS = 3
QUICK_BROWSERS = 1
WARM_UP = 4
A_THIRD = Target("at most", 0.36)
NO_MORE = Target("at most", 1.02)
OTHER = "off"


@dataclass(slots=True)
class Taken:
    """Every round of one side, over all its browsers, and what the last of them held."""

    rounds: list[Ran] = field(default_factory=list)
    held: Held = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A scenario, which of its models are called in a round, and what is asked of their time."""

    name: str
    scenario: Scenario
    called: tuple[int, ...]
    sharing: Mapping[str, bool] = field(default_factory=lambda: ON)
    calls_target: Target | None = None
    engine_target: Target | None = None
    guides: str = ""

    @property
    def ours(self) -> str:
        """What our side is called."""
        return "off again" if self.sharing == OFF else "sharing on"


def trials(found: Scenarios) -> Iterator[Trial]:
    """What can be timed with the models that are there."""
    yield Trial(
        name=found.text.name,
        scenario=found.text,
        called=(0, 1, 2),
        calls_target=A_THIRD,
        engine_target=A_THIRD,
        guides="the guides claim 0.73",
    )
    if found.vision is not None:
        name, guides = found.vision.name, "the guides claim 0.74"
        yield Trial(name=name, scenario=found.vision, called=(0, 1, 2), guides=guides)
    if found.publishers is not None:
        yield Trial(name=found.publishers.name, scenario=found.publishers, called=(0, 1))
    yield from _costs(found)


def _costs(found: Scenarios) -> Iterator[Trial]:
    """What is asked of these is only that sharing costs nothing."""
    yield Trial(
        name="cut behind the encoder",
        scenario=found.text,
        called=(0,),
        sharing=CUT,
        calls_target=NO_MORE,
    )
    if found.publishers is not None:
        yield Trial(
            name="cut behind the word table",
            scenario=found.publishers,
            called=(0,),
            sharing=CUT,
            calls_target=NO_MORE,
        )
    if found.unlike is not None:
        yield Trial(
            name=f"nothing to share, {found.unlike.name}",
            scenario=found.unlike,
            called=(0, 1),
            calls_target=NO_MORE,
        )
    yield Trial(
        name=f"nothing to share, {found.alone.name}",
        scenario=found.alone,
        called=(0,),
        calls_target=NO_MORE,
    )
    yield Trial(name="two equal browsers", scenario=found.alone, called=(0,), sharing=OFF)


def counts(setting: Setting) -> tuple[int, int]:
    """How many pairs of browsers, and how many rounds in each."""
    browsers = QUICK_BROWSERS if setting.quick else BROWSERS
    return browsers, -(-setting.pairs(ROUNDS, quick=QUICK) // browsers)


async def measure(setting: Setting, trial: Trial, platform: str) -> dict[str, Taken]:
    """Both sides in turn, in fresh browsers several times over: no two are quite equally fast."""
    browsers, rounds = counts(setting)
    taken: dict[str, Taken] = defaultdict(Taken)
    for number in range(browsers):
        async with AsyncExitStack() as stack:
            opened = {
                name: await stack.enter_async_context(side(setting, trial.scenario, platform, one))
                for name, one in {OTHER: OFF, trial.ours: trial.sharing}.items()
            }
            await _warm_up(trial, opened)
            for turn, name in interleaved([*opened], rounds):
                ran = await opened[name].round(WARM_UP + turn, trial.called)
                taken[name].rounds.append(ran._replace(results=[]))
                done = number * rounds + turn + 1
                setting.on_step(f"sharing, {platform}, {trial.name}", done, browsers * rounds)
            for name, one in opened.items():
                taken[name].held = await one.held()
    return taken


async def _warm_up(trial: Trial, opened: Mapping[str, Side]) -> None:
    """All of the models are loaded by it, and have to compute the same on both sides."""
    for number in range(WARM_UP):
        everyone = range(len(trial.scenario.models))
        one, other = [await one.round(number, everyone) for one in opened.values()]
        check_equal(trial.name, one, other)
    if trial.sharing == CUT and not opened[trial.ours].cut():
        raise RuntimeError(f"{trial.name}: a model is whole, so its time tells nothing of a cut.")


def comparisons(trial: Trial, platform: str, taken: Mapping[str, Taken]) -> Iterator[Comparison]:
    """The whole calls, and the engine's own time."""
    for kind, words, target in (
        ("calls_ms", "calls", trial.calls_target),
        ("engine_ms", "engine", trial.engine_target),
    ):
        ours, other = (
            Sample(name, "ms", [getattr(one, kind) for one in taken[name].rounds])
            for name in (trial.ours, OTHER)
        )
        guides = f" ({trial.guides})" if trial.guides and kind == "calls_ms" else ""
        label = f"{platform}, {trial.name}: {words}{guides}"
        yield Comparison(label, ours, other, by="share", target=target)
