"""How a validation looks while it runs, and what it came to."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from ipfs_accelerate.cli.terminal import errors
from ipfs_accelerate.validate.verdicts import Verdict, why_of

if TYPE_CHECKING:
    from rich.console import Console

    from ipfs_accelerate.validate.verdicts import Outcome, Report, Run

_STYLES = {"wrong": "bold red", "failed": "red", "fell_back": "yellow", "right": "green"}
_LONGEST = 200
"""Characters of a reason in the table; the JSON has it whole."""
_WIDE = 1000
"""Characters of a line that is piped: a row is a line there."""


def bars() -> Progress:
    """How far it is, and how long that took and will take; on a terminal alone."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=errors(),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def print_report(console: Console, report: Report) -> None:
    """The counts of each run, then what is not right."""
    if not console.is_terminal:
        console.width = _WIDE
    console.print(_counts(report))
    for run in report.runs:
        table = _rows(run)
        if table.row_count:
            console.print(Text(f"\n{run.name}", style="bold"))
            console.print(table)
    most = ", ".join(f"{dtype} {allowed:g}" for dtype, allowed in report.tolerance.items())
    console.print(Text(f"\nagainst {report.reference}; allowed: {most}", style="dim"))
    for note in _notes(report):
        console.print(Text(note, style="dim"))
    if report.interrupted:
        console.print(Text("interrupted: this is what there was so far", style="bold"))


def _counts(report: Report) -> Table:
    table = Table(box=None, header_style="dim")
    table.add_column("platform", no_wrap=True)
    for verdict in Verdict:
        table.add_column(verdict.words, justify="right")
    table.add_column("seconds", justify="right")
    for run in report.runs:
        where = f"{run.name} ({run.device})" if run.device else run.name
        counts = (_count(verdict.value, count) for verdict, count in run.counts.items())
        table.add_row(where, *counts, f"{run.seconds:.1f}")
    return table


def _count(verdict: str, count: int) -> Text:
    return Text(str(count), style=_STYLES.get(verdict, "") if count else "dim")


def _rows(run: Run) -> Table:
    table = Table(box=None, header_style="dim")
    for column in ("verdict", "case", "why", "native"):
        table.add_column(column, overflow="fold")
    order = ["wrong", "failed", "fell_back"]
    bad = (one for one in run.outcomes if one.verdict.value in order)
    for outcome in sorted(bad, key=lambda one: order.index(one.verdict.value)):
        _add(table, outcome, outcome.case)
    for alike in _alike(run):
        first, *others = alike
        _add(table, first, f"{first.case} and {len(others)} more" if others else first.case)
    return table


def _alike(run: Run) -> list[list[Outcome]]:
    """What did not run, with what is of the same operators and was refused alike."""
    groups: defaultdict[tuple[object, ...], list[Outcome]] = defaultdict(list)
    for one in run.outcomes:
        if one.verdict.value == "unavailable":
            groups[one.verdict, one.reason].append(one)
        elif one.verdict.value == "unsupported":
            groups[one.verdict, one.operators, one.code].append(one)
    return list(groups.values())


def _add(table: Table, outcome: Outcome, case: str) -> None:
    verdict = outcome.verdict
    native = outcome.native.partition(":")[0]
    cells = (case, _shortened(why_of(outcome)), native)
    style = _STYLES.get(verdict.value, "")
    table.add_row(Text(verdict.words, style=style), *(Text(cell) for cell in cells))


def _shortened(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."


def _notes(report: Report) -> list[str]:
    """How cases were run otherwise than as they stand, each way once."""
    notes: defaultdict[str, list[str]] = defaultdict(list)
    for one in report.runs[0].outcomes if report.runs else ():
        if one.note:
            notes[one.note].append(one.case)
    return [
        f"{cases[0] if len(cases) == 1 else f'{len(cases)} cases'}: {note}"
        for note, cases in notes.items()
    ]
