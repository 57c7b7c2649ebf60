"""The error for a file that is not a model which can be run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

_EXPORT = "Export or download the model again, and keep its data files beside it."


def invalid(path: Path, why: str, *, hint: str = _EXPORT) -> ModelError:
    """Make an error that says why the file at `path` is no model, and what to do."""
    return ModelError(
        f"{path} is not an ONNX model that can be run: {why}.",
        code="model_invalid",
        hint=hint,
        details={"path": str(path)},
    )
