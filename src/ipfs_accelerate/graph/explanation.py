"""What models share, and what keeps them from sharing more: as data, JSON and lines. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Total:
    """All of one model, of which the shares are."""

    weight_bytes: int
    """of its distinct weights of 4096 bytes and more, inside the graph or out of it"""
    macs: int
    """multiply-adds of one run, estimated from shapes"""
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
    """'other weights', 'other attributes', 'another operator', 'other inputs', 'not repeatable'"""
    operator: str
    count: int
    instead: tuple[str, ...] = ()
    """the operators that stand there in the other model; none where nothing does"""
    weights: tuple[str, ...] = ()
    """the weights of the first model that the other lacks there: dtype, shape and CID"""
    inputs: tuple[str, ...] = ()
    """the inputs of the first model that the other lacks: name and dtype"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a set of models shares at three levels, and why not more."""

    models: Mapping[str, Total]
    sets: tuple[Shared, ...]
    """each pair, and all of them together where they are more than two"""
    differences: tuple[Difference, ...]
    estimated: bool = True
    """that macs are estimates"""

    def to_json(self) -> bytes:
        """Write it as JSON."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":")).encode()

    def lines(self) -> list[str]:
        """Say it in lines for a terminal."""
        lines = [_model(name, total) for name, total in self.models.items()]
        for shared in self.sets:
            lines += ["", *_shared(shared)]
        for pair in dict.fromkeys(one.models for one in self.differences):
            lines += ["", f"{pair[0]} leaves what it has in common with {pair[1]} at:"]
            lines += [_difference(one) for one in self.differences if one.models == pair]
        return lines


def _model(name: str, total: Total) -> str:
    return (
        f"{name}: {_mb(total.weight_bytes)} of weights, {total.operators} operators, "
        f"{_work(total.macs)}"
    )


def _shared(shared: Shared) -> list[str]:
    return [
        f"{' and '.join(shared.models)} share",
        f"  stored once    {_mb(shared.stored):>12}  {_shares(shared.stored_share)}",
        f"  held once      {_mb(shared.held):>12}  {_shares(shared.held_share)}",
        f"  computed once  {_work(shared.computed):>12}  {_shares(shared.computed_share)}",
        f"  stored once, and held by each since their graphs differ: {_mb(shared.held_twice)}",
    ]


def _difference(one: Difference) -> str:
    what = one.inputs or one.instead or one.weights
    more = f" ({', '.join(what[:3])}{', ...' if len(what) > 3 else ''})" if what else ""  # noqa: PLR2004 - enough for a line
    return f"  {one.count} x {one.operator}: {one.reason}{more}"


def _shares(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{100 * share:.1f} % of {name}" for name, share in shares.items())


def _mb(size: int) -> str:
    return f"{size / 1e6:.2f} MB"


def _work(macs: int) -> str:
    return f"~{macs / 1e9:.3g} GMAC"
