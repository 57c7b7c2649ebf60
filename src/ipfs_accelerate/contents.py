"""Names for what tensors hold, so that equal inputs are known to be equal."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def digest_of(array: NDArray[Any]) -> str:
    """A name for a dtype, a shape and the bytes."""
    # The dtypes of ml_dtypes have one `str` for all of one size, and lend their bytes to nobody.
    made = hashlib.sha256(f"{array.dtype.str} {array.dtype.name}{array.shape}".encode())
    made.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return made.hexdigest()


def name_of(*parts: str) -> str:
    """A name for all of these together."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
