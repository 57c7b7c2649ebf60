"""What a benchmark found: comparisons in pairs, groups of figures, and their verdicts. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from benchmarks.statistics import Interval, Target, differences, median_interval, ratios, shares

if TYPE_CHECKING:
    from collections.abc import Sequence

_PAIR_UP = {"difference": differences, "ratio": ratios, "share": shares}


@dataclass(frozen=True, slots=True)
class Sample:
    """What was measured of one thing, in the order in which it was measured."""

    name: str
    unit: str
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two samples taken in pairs, and what their pairs are held to.

    The difference is ours less the other's; the ratio is the other's time over ours, the share is
    ours over the other's.
    """

    label: str
    ours: Sample
    other: Sample
    by: Literal["difference", "ratio", "share"]
    target: Target | None = None

    @property
    def paired(self) -> list[float]:
        """One difference, ratio or share for each pair."""
        return _PAIR_UP[self.by](self.ours.values, self.other.values)

    @property
    def unit(self) -> str:
        """What the paired figure counts."""
        return {"difference": self.ours.unit, "ratio": "times", "share": "of it"}[self.by]

    @property
    def interval(self) -> Interval:
        """The median of the pairs' figures, with its interval."""
        return median_interval(self.paired)


@dataclass(frozen=True, slots=True)
class Figure:
    """One sample by itself, held to a target or only told."""

    sample: Sample
    target: Target | None = None

    @property
    def interval(self) -> Interval:
        """The sample's median, with its interval."""
        return median_interval(self.sample.values)


@dataclass(frozen=True, slots=True)
class Group:
    """Figures that are read together, such as the parts of a whole."""

    heading: str
    figures: Sequence[Figure]


@dataclass(frozen=True, slots=True)
class Report:
    """One benchmark's findings, and under which conditions they hold."""

    name: str
    title: str
    conditions: Sequence[str]
    comparisons: Sequence[Comparison] = ()
    groups: Sequence[Group] = field(default_factory=tuple)

    def to_json(self) -> dict[str, Any]:
        """Everything, with all raw samples."""
        return {
            "name": self.name,
            "title": self.title,
            "conditions": list(self.conditions),
            "comparisons": [_comparison(one) for one in self.comparisons],
            "groups": [
                {"heading": group.heading, "figures": [_figure(one) for one in group.figures]}
                for group in self.groups
            ],
        }


def _comparison(one: Comparison) -> dict[str, Any]:
    return {
        "label": one.label,
        "by": one.by,
        "ours": _sample(one.ours),
        "other": _sample(one.other),
        **_verdict(one.interval, one.target),
    }


def _figure(one: Figure) -> dict[str, Any]:
    return {**_sample(one.sample), **_verdict(one.interval, one.target)}


def _sample(one: Sample) -> dict[str, Any]:
    return {"name": one.name, "unit": one.unit, "values": [float(value) for value in one.values]}


def _verdict(interval: Interval, target: Target | None) -> dict[str, Any]:
    found = {"median": interval.median, "interval_95": [interval.low, interval.high]}
    if target is None:
        return found
    met = target.met_by(interval)
    return {**found, "target": {"kind": target.kind, "value": target.value, "met": met}}
