"""Plain Python numbers to an array of one dtype, where nothing of them is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE = "biu"
_NUMBERS = "biuf"
_ALL_INTEGERS_TO = 2.0**53 - 1
"""A float64 beyond it may stand for an integer that it is not."""


def to_exact(value: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """`value` as an array of `dtype`, or a ValueError that describes what was given instead.

    Exact means: integers stay what they are, and fractions are rounded only to a float's own
    precision, never to an integer and never to infinity.
    """
    raw = _raw(value)
    if raw.size == 0:
        return raw.astype(dtype)
    described = f"{raw.dtype}{list(raw.shape)}"
    if raw.dtype.kind not in _NUMBERS:
        raise ValueError(f"{described}, which holds no plain numbers")
    with np.errstate(all="ignore"):
        array = _converted(value, raw, dtype)
        lost = _lost(value, raw, array)
    if lost.any():
        raise ValueError(f"{described}, whose value {raw[lost][0]} {dtype.name} cannot hold")
    return array


def _raw(value: Any) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{type(value).__name__} of rows that are not of one length") from error


def _converted(value: Any, raw: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    if raw.dtype.kind == "f" and dtype.kind in _WHOLE:
        # Integers among fractions, or across 2^63, were rounded on their way into `raw`.
        try:
            return np.array(value, dtype)
        except (OverflowError, ValueError):
            return raw.astype(dtype)
    return raw.astype(dtype)


def _lost(value: Any, raw: NDArray[Any], array: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark where the conversion changed a value."""
    back = array.astype(raw.dtype)
    if raw.dtype.kind == "f" and array.dtype.kind not in _WHOLE:
        lost: NDArray[np.bool_] = np.isfinite(raw) & ~np.isfinite(back)
        lost |= _rounded_integers(value, raw, back)
    else:
        # Across a change of sign equal bits come back equal, so the signs are compared too.
        lost = np.not_equal(back, raw) | np.not_equal(array < 0, raw < 0)
    return lost


def _rounded_integers(value: Any, raw: NDArray[Any], back: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark what was an integer and is another one now; `raw` may have rounded it already."""
    suspects: NDArray[np.bool_] = (raw == np.trunc(raw)) & (
        (back != raw) | (np.abs(raw) > _ALL_INTEGERS_TO)
    )
    if not suspects.any():
        return suspects
    pairs = zip(np.asarray(value, object).flat, back.ravel().tolist(), strict=True)
    changed = [isinstance(one, int | np.integer) and int(one) != got for one, got in pairs]
    return suspects & np.array(changed, np.bool_).reshape(raw.shape)
