"""What a browser computed against what is right: the largest difference, and where it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ipfs_accelerate.validate.tolerance import allowed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Difference:
    """The output that is off the most, and its element that is."""

    output: str
    what: str
    """the difference in words"""
    at: tuple[int, ...] = ()
    got: float | int | None = None
    expected: float | int | None = None
    off: float | None = None
    """relative to the element's scale; None where the two can't be subtracted"""
    allowed: float = 0.0

    def __str__(self) -> str:
        return f"{self.output}: {self.what}"


def compare(
    computed: Mapping[str, NDArray[Any]],
    right: Mapping[str, NDArray[Any]],
    tolerance: Mapping[str, float],
) -> Difference | None:
    """The worst difference that is not allowed, or None. NaN equals NaN, and nothing else."""
    found = [
        one
        for name, array in right.items()
        if (one := _difference(name, computed.get(name), array, tolerance)) is not None
    ]
    return max(found, key=_weight, default=None)


def compare_kinds(
    computed: Mapping[str, NDArray[Any]], right: Mapping[str, NDArray[Any]]
) -> Difference | None:
    """The first output whose dtype or shape is another: all that random numbers can be held to."""
    found = (_other_kind(name, computed.get(name), array) for name, array in right.items())
    return next((one for one in found if one is not None), None)


def _difference(
    name: str,
    computed: NDArray[Any] | None,
    right: NDArray[Any],
    tolerance: Mapping[str, float],
) -> Difference | None:
    other = _other_kind(name, computed, right)
    if other is not None or computed is None or right.size == 0:
        return other
    most = allowed(tolerance, right.dtype.name)
    off = _off(computed, right)
    worst = np.unravel_index(int(np.argmax(np.nan_to_num(off, nan=np.inf))), right.shape)
    largest = float(off[worst])
    if largest <= most:
        return None
    at = tuple(int(index) for index in worst)
    got, expected = computed[worst].item(), right[worst].item()
    what = f"{got:g} where {expected:g} is right, at {list(at)}; {_how_far(largest, most)}"
    beyond = largest if math.isfinite(largest) else None
    return Difference(name, what, at, got, expected, beyond, most)


def _other_kind(name: str, computed: NDArray[Any] | None, right: NDArray[Any]) -> Difference | None:
    if computed is None:
        return Difference(name, "it is missing")
    if computed.dtype.newbyteorder("=") != right.dtype.newbyteorder("="):
        return Difference(name, f"it is {computed.dtype.name}, not {right.dtype.name}")
    if computed.shape != right.shape:
        return Difference(name, f"its shape is {list(computed.shape)}, not {list(right.shape)}")
    return None


def _off(computed: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    """Each element's difference, relative to its scale: infinite where only one side is NaN."""
    if right.dtype.kind in "iub":  # 64-bit integers don't fit a float64; equal ones do not differ
        same = np.equal(computed, right)
    else:
        same = np.equal(computed, right) | (np.isnan(computed) & np.isnan(right))
    with np.errstate(invalid="ignore", over="ignore"):
        wide, exact = computed.astype(np.float64), right.astype(np.float64)
        off = np.abs(wide - exact) / _scale(exact)
    # Unequal integers that float64 can't tell apart differ all the same.
    off = np.maximum(np.where(np.isnan(off), np.inf, off), np.finfo(np.float64).tiny)
    return np.where(same, 0.0, off)


def _scale(right: NDArray[Any]) -> NDArray[Any]:
    """What each element is measured by: max(1, |it|, a hundredth of the output's largest value).

    The last, since what is small beside the others may be a sum of large numbers, with their
    roundings in it.
    """
    sizes = np.abs(right)
    largest = np.max(sizes, where=np.isfinite(sizes), initial=0.0)
    scale: NDArray[Any] = np.maximum(sizes, max(1.0, largest / 100))
    return scale


def _how_far(off: float, most: float) -> str:
    may = f"{most:g} is allowed" if most else "it must be exact"
    return f"off by {off:.2g}, {may}" if math.isfinite(off) else may


def _weight(difference: Difference) -> float:
    """What can't be subtracted is worse than any number."""
    return math.inf if difference.off is None else difference.off
