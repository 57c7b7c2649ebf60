"""How far a number may be off, by its dtype: of values near 1, and relative above that. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MODELS: Mapping[str, float] = {
    "float64": 1e-6,
    "float32": 1e-4,
    "float16": 1e-2,
    "bfloat16": 5e-2,
    "float8_e4m3fn": 0.13,
    "float8_e5m2": 0.26,
}
"""Whole models, whose roundings add up."""

OPERATORS: Mapping[str, float] = {
    "float64": 1e-6,
    "float32": 1e-4,
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
    "float8_e4m3fn": 0.13,
    "float8_e5m2": 0.26,
}
"""Single operators, of which two correct ones may differ by a rounding or a few."""


def scaled(table: Mapping[str, float], float32: float | None) -> dict[str, float]:
    """The table with this tolerance for float32, and the others looser or tighter with it."""
    if float32 is None:
        return dict(table)
    factor = float32 / table["float32"]
    return {dtype: allowed * factor for dtype, allowed in table.items()}


def allowed(table: Mapping[str, float], dtype: str) -> float:
    """What a dtype may be off by; integers and booleans are exact."""
    return table.get(dtype, 0.0)
