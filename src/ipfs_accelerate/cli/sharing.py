"""How what models share looks: a table for each set of them, and one for what keeps them apart."""

from __future__ import annotations

import sys
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ipfs_accelerate.doctor.sections import Row, Section, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console

    from ipfs_accelerate.graph import Difference, Explanation, Shared

_MOST = 8
"""Kinds of differences of one model from another; the JSON has them all."""
_MOST_WEIGHTS = 2
_CID = 12
_THOUSAND = 1000
_ROUNDED_UP = 999.5
"""From here on three digits are the next unit's."""


def tables(
    explanation: Explanation, whole: Mapping[str, str] = MappingProxyType({})
) -> list[Section]:
    """Everything, in the order in which it is read; `whole` is why models can't be cut."""
    rows = [
        (name, size_of(one.weight_bytes), work_of(one.macs), f"{one.operators:,}")
        for name, one in explanation.models.items()
    ]
    return [
        Section("The models", tuple(rows), ("model", "weights", "work of a run", "operators")),
        *([Section("Held whole", tuple(whole.items()), ("model", "why"))] if whole else []),
        *map(_shared, explanation.sets),
        *_apart(explanation.differences),
    ]


def print_tables(console: Console, found: list[Section]) -> None:
    """A person gets tables in colour; a pipe gets plain lines."""
    if not console.is_terminal:
        sys.stdout.writelines(f"{line}\n" for line in plain(found))
        return
    for section in found:
        console.print(Text(section.title, style="bold"))
        console.print(_rich(section))
        console.print()


def size_of(count: int) -> str:
    """Bytes as a person reads them."""
    return f"{_scaled(count)}B"


def work_of(macs: int) -> str:
    """Multiply-adds as a person reads them."""
    return f"{_scaled(macs)}MAC"


def _scaled(count: int) -> str:
    value = float(count)
    for unit in ("", "k", "M", "G"):
        if value < _ROUNDED_UP:
            return f"{value:.3g} {unit}"
        value /= _THOUSAND
    return f"{value:,.3g} T"


def _shared(shared: Shared) -> Section:
    """The three levels, each of which says more than the one above it."""
    levels = [
        ("stored and sent once", size_of(shared.stored), shared.stored_share),
        ("held once on a worker", size_of(shared.held), shared.held_share),
        ("computed once for an input", work_of(shared.computed), shared.computed_share),
    ]
    rows = [_level(words, amount, shared.models, share) for words, amount, share in levels]
    if shared.held_twice:
        gaps = [""] * len(shared.models)
        rows.append(("stored once, yet held by each", size_of(shared.held_twice), *gaps))
    columns = ("shared", "how much", *(f"of {name}" for name in shared.models))
    return Section(f"{_joined(shared.models)} share", tuple(rows), columns)


def _level(words: str, amount: str, models: tuple[str, ...], share: Mapping[str, float]) -> Row:
    return (words, amount, *(f"{share[name]:.1%}" for name in models))


def _apart(differences: tuple[Difference, ...]) -> Iterator[Section]:
    """What keeps each model from sharing more with each other, with the commonest first."""
    for pair in dict.fromkeys(one.models for one in differences):
        found = [one for one in differences if one.models == pair]
        found.sort(key=lambda one: -one.count)
        rows: list[Row] = [_difference(one) for one in found[:_MOST]]
        if len(found) > _MOST:
            left = found[_MOST:]
            nodes = sum(one.count for one in left)
            rows.append((f"and {len(left)} kinds more", "", str(nodes), ""))
        columns: Row = ("why", "operator", "nodes", "which")
        if not any(row[-1] for row in rows):
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        yield Section(f"Where {pair[0]} parts from {pair[1]}", tuple(rows), columns)


def _difference(one: Difference) -> Row:
    which = [_short(weight) for weight in one.weights[:_MOST_WEIGHTS]]
    if len(one.weights) > _MOST_WEIGHTS:
        which.append(f"and {len(one.weights) - _MOST_WEIGHTS} more")
    which += one.inputs
    if one.instead:
        which.append(f"{', '.join(one.instead)} stands there")
    return one.reason, one.operator, str(one.count), ", ".join(which)


def _short(weight: str) -> str:
    """A weight's dtype and shape, and as much of its CID as tells it from others."""
    words, _, cid = weight.rpartition(" ")
    return f"{words} {cid[:_CID]}..."


def _joined(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _rich(section: Section) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 1))
    for column in section.columns:
        table.add_column(column, overflow="fold")
    for row in section.rows:
        table.add_row(*map(Text, row))
    return table
