# ruff: noqa: A005 - it is benchmarks.statistics, never found by the bare name
"""Medians of paired samples, how sure they are, and whether they meet a target. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED = 20260101
RESAMPLES = 10_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A median, and where it lies with 95 % confidence."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Target:
    """What a figure has to be; met only where the whole interval is on the right side of it."""

    kind: Literal["at most", "at least"]
    value: float

    def met_by(self, interval: Interval) -> bool:
        """Whether every value of the interval will do."""
        if self.kind == "at most":
            return interval.high <= self.value
        return interval.low >= self.value


def median_interval(values: Sequence[float]) -> Interval:
    """The median with its percentile bootstrap interval; the same values give the same one."""
    sample = np.asarray(values, np.float64)
    if sample.size == 0 or not np.isfinite(sample).all():
        raise ValueError(f"{sample.size} values, not all finite, have no median interval.")
    drawn = np.random.default_rng(SEED).integers(0, sample.size, (RESAMPLES, sample.size))
    medians = np.median(sample[drawn], axis=1)
    low, high = np.quantile(medians, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return Interval(float(np.median(sample)), float(low), float(high))


def differences(ours: Sequence[float], others: Sequence[float]) -> list[float]:
    """Ours less the other's, pair by pair."""
    return [our - other for our, other in zip(ours, others, strict=True)]


def ratios(ours: Sequence[float], others: Sequence[float]) -> list[float]:
    """How many times our time the other took, pair by pair: above 1 we were faster."""
    return [other / our for our, other in zip(ours, others, strict=True)]


def shares(ours: Sequence[float], others: Sequence[float]) -> list[float]:
    """Our time as a share of the other's, pair by pair: below 1 we were faster."""
    return [our / other for our, other in zip(ours, others, strict=True)]
