"""Inputs for a model of which nobody gave any: two texts, or seeded random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ipfs_accelerate.tensors.arrays import numpy_dtype
from ipfs_accelerate.tensors.dtypes import by_onnx

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ipfs_accelerate.models import Port

TEXTS = ("A man is eating food.", "Bread needs flour, water, salt and time.")
SEED = 0
SIZES = (2, 16, 64, 224)
"""What a free dimension may be: the first that the model takes."""
_BELOW = 8
"""Random integers are below this, so that they are indices into nearly everything."""


def random_inputs(ports: Sequence[Port], size: int) -> dict[str, NDArray[Any]]:
    """An array for each port, its free dimensions all of this size; always the same ones."""
    dice = np.random.default_rng(SEED)
    return {port.name: _array(port, size, dice) for port in ports}


def _array(port: Port, size: int, dice: np.random.Generator) -> NDArray[Any]:
    dtype = numpy_dtype(by_onnx(port.dtype).numpy)
    shape = tuple(one if isinstance(one, int) else size for one in port.shape or ())
    if "mask" in port.name:
        return np.ones(shape, dtype)
    if dtype.kind in "iub":
        return dice.integers(0, 2 if dtype.kind == "b" else _BELOW, shape).astype(dtype)
    return dice.standard_normal(shape).astype(dtype)
