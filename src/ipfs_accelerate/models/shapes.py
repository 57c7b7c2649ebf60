"""Inputs as a platform takes them that compiles a model for one shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ipfs_accelerate.models.manifest import Manifest, Port

FIXED = frozenset({"webnn"})
"""The platforms that take no free dimensions."""
_MASK = "attention_mask"
_LENGTHS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
"""To which a text is filled up, so that few shapes are compiled; a mask hides what was added."""


def dimensions_of(ports: Sequence[Port], feeds: Mapping[str, NDArray[Any]]) -> dict[str, int]:
    """The sizes that a model's free dimensions have in these inputs, by their names."""
    return {
        name: size
        for port in ports
        for name, size in zip(port.shape or (), feeds[port.name].shape, strict=False)
        if isinstance(name, str)
    }


def filled_up(manifest: Manifest, feeds: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """A text model's inputs, with columns added up to the next of a few lengths."""
    mask = feeds.get(_MASK)
    if manifest.tokenizer is None or mask is None or mask.ndim != 2:  # noqa: PLR2004 - rows of tokens
        return dict(feeds)
    length = mask.shape[1]
    most = manifest.max_length or _LENGTHS[-1]
    target = next((one for one in _LENGTHS if length <= one <= most), length)
    return {
        name: np.pad(one, ((0, 0), (0, target - length))) if one.shape == mask.shape else one
        for name, one in feeds.items()
    }


def cut_back(
    ports: Sequence[Port],
    outputs: Mapping[str, NDArray[Any]],
    sizes: Mapping[str, int],
) -> dict[str, NDArray[Any]]:
    """The outputs without what belongs to added columns; `sizes` are the true ones, by name."""
    shapes = {port.name: port.shape or () for port in ports}
    return {
        name: one[
            tuple(
                slice(sizes.get(size) if isinstance(size, str) else None) for size in shapes[name]
            )
        ]
        for name, one in outputs.items()
    }
