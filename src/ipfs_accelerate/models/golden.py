"""Golden vectors: inputs whose right outputs are known, so that a device can be caught lying.

Devices have given silently wrong embeddings. So a worker runs these once on each platform before it
serves a model, and serves it only if the numbers are right.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FOLDER = Path(__file__).parent / "golden_vectors"
TOLERANCE = {"fp32": 1e-3, "fp16": 2e-2, "bf16": 5e-2}
"""The largest difference that rounding explains, of values near 1, by the model's precision."""

Arrays: TypeAlias = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Golden:
    """Inputs, the outputs that belong to them, and how far these may be off."""

    inputs: Arrays
    outputs: Arrays
    tolerance: float

    @classmethod
    def of(
        cls, pair: tuple[Mapping[str, ArrayLike], Mapping[str, ArrayLike]], precision: str
    ) -> Golden:
        """A user's own pair of inputs and outputs."""
        inputs, outputs = ({name: np.asarray(one) for name, one in side.items()} for side in pair)
        return cls(inputs, outputs, TOLERANCE.get(precision, TOLERANCE["fp16"]))

    def fault(self, computed: Arrays) -> str | None:
        """How the outputs are wrong, or None where they are right."""
        for name, right in self.outputs.items():
            if name not in computed:
                return f"the output {name} is missing"
            if computed[name].shape != right.shape:
                return f"{name} has the shape {computed[name].shape}, not {right.shape}"
            off = _largest_difference(computed[name], right)
            if not off <= self.tolerance:
                return f"{name} is off by {off:.2g}, where {self.tolerance:g} is allowed"
        return None


def golden_of(model_name: str) -> Golden | None:
    """The golden vector of a catalogued model, if it has one."""
    file = FOLDER / f"{model_name}.json"
    if not file.is_file():
        return None
    kept = json.loads(file.read_text("utf-8"))
    inputs, outputs = (
        {
            name: np.array(one["data"], one["dtype"]).reshape(one["shape"])
            for name, one in kept[side].items()
        }
        for side in ("inputs", "outputs")
    )
    return Golden(inputs, outputs, TOLERANCE[kept["precision"]])


def _largest_difference(computed: NDArray[Any], right: NDArray[Any]) -> float:
    """NaN where either side has one that the other lacks; relative where values are above 1."""
    if right.size == 0:
        return 0.0
    if np.array_equal(computed, right, equal_nan=right.dtype.kind == "f"):
        return 0.0
    wide, exact = computed.astype(np.float64), right.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return float(np.max(np.abs(wide - exact) / np.maximum(1.0, np.abs(exact))))
