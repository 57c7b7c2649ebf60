"""A report as a person reads it: tables on a terminal, the same in plain text where it is piped."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.report import Comparison, Group, Report, Sample
    from benchmarks.statistics import Interval, Target

WIDE = 140


def output() -> Console:
    """Where the findings go; a pipe has no width that would break a line."""
    return Console(width=None if sys.stdout.isatty() else WIDE, highlight=False)


class Steps:
    """A bar on the terminal for what is being measured; nothing where there is no terminal."""

    def __init__(self) -> None:
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=Console(stderr=True),
            transient=True,
            # Drawing takes time from what is being timed.
            refresh_per_second=1,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._bars.add_task("", total=None)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._bars.stop()

    def step(self, what: str, done: int, total: int) -> None:
        """So much of it is done."""
        self._bars.update(self._task, description=what, completed=done, total=total)


def machine(console: Console, described: Mapping[str, object]) -> None:
    """What it was measured on."""
    console.print(", ".join(f"{name} {value}" for name, value in described.items()), style="dim")


def report(console: Console, found: Report) -> None:
    """One benchmark's findings."""
    console.print()
    console.print(Text(f"{found.name}: {found.title}", "bold"))
    for condition in found.conditions:
        console.print(f"  {condition}", style="dim")
    if found.comparisons:
        console.print(_comparisons(found.comparisons))
    for group in found.groups:
        console.print(_group(group))


def _comparisons(comparisons: Sequence[Comparison]) -> Table:
    table = _table("", "medians: ours, the other", "median of pairs", "95 % interval", "target")
    for one in comparisons:
        interval = one.interval
        table.add_row(
            f"{one.label}\n",
            f"{_side(one.ours)}\n{_side(one.other)}",
            number(interval.median, one.unit),
            _range(interval),
            _verdict(interval, one.target),
        )
    return table


def _group(group: Group) -> Table:
    table = _table(group.heading, "median", "95 % interval", "least to most", "of", "target")
    for one in group.figures:
        interval, values = one.interval, one.sample.values
        table.add_row(
            one.sample.name,
            number(interval.median, one.sample.unit),
            _range(interval),
            f"{number(min(values))} to {number(max(values))}",
            str(len(values)),
            _verdict(interval, one.target),
        )
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="left" if name == "target" else "right")
    return table


def _side(sample: Sample) -> str:
    ordered = sorted(sample.values)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return f"{sample.name}  {number(middle, sample.unit)}"


def _range(interval: Interval) -> str:
    return f"{number(interval.low)} to {number(interval.high)}"


def _verdict(interval: Interval, target: Target | None) -> Text:
    if target is None:
        return Text("")
    met = target.met_by(interval)
    words = f"{target.kind} {target.value:g}: {'met' if met else 'not met'}"
    return Text(words, "green" if met else "bold red")


def number(value: float, unit: str = "") -> str:
    """Three digits that count, and the unit."""
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:,.{digits}f} {unit}".rstrip()
