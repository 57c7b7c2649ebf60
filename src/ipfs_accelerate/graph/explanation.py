"""What models share, and what keeps them from sharing more: as data, JSON and lines. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Total:
    """All of one model, of which the shares are."""

    weight_bytes: int
    """of its distinct weights of 4096 bytes and more, inside the graph or out of it"""
    macs: int
    operators: int


@dataclass(frozen=True, slots=True)
class Shared:
    """What every model of a set has in common."""

    models: tuple[str, ...]
    stored: int
    """bytes of tensors that are equal, transposed ones included: stored and sent once"""
    held: int
    """bytes of external weights of the parts that the partition loads once"""
    computed: int
    """macs of those parts: computed once for one input; estimated"""
    held_twice: int
    """bytes stored once, yet held by each, since they lie in graphs that differ"""
    stored_share: Mapping[str, float]
    """`stored` as a share of each model's bytes"""
    held_share: Mapping[str, float]
    computed_share: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Difference:
    """Why nodes of one model, all of whose inputs are shared, are not in another."""

    models: tuple[str, str]
    reason: str
    """'other weights', 'other attributes', 'another operator', 'other inputs' or 'not repeatable'"""
    operator: str
    count: int
    instead: tuple[str, ...] = ()
    """the operators that stand there in the other model"""
    weights: tuple[str, ...] = ()
    """the weights of the first model that the other lacks there: dtype, shape and CID"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a set of models shares at three levels, and why not more."""

    models: Mapping[str, Total]
    sets: tuple[Shared, ...]
    """each pair, and all of them together where they are more than two"""
    differences: tuple[Difference, ...]

    def to_json(self) -> bytes:
        """Write it as JSON."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":")).encode()

    def lines(self) -> list[str]:
        """Say it in lines for a terminal."""
        raise NotImplementedError
