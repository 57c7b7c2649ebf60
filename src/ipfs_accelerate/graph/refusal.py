"""The error for a graph that can't be read. Pure."""

from __future__ import annotations

from ipfs_accelerate.errors import ModelError

_EXPORT = "Check the file with `onnx.checker`, and export or download the model again."


def invalid(why: str, *, hint: str = _EXPORT) -> ModelError:
    """Make an error that says why a graph can't be read, and what to do."""
    return ModelError(f"The model's graph cannot be read: {why}.", code="model_invalid", hint=hint)
