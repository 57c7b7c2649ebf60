"""From what the user names to a manifest: a catalogued name, or the path of an ONNX file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import builds, catalog, package

if TYPE_CHECKING:
    from ipfs_accelerate.models.blocks import BlockStore
    from ipfs_accelerate.models.manifest import Manifest


def resolve(model: str | Path, store: BlockStore) -> Manifest:
    """Give the model's manifest, with all its blocks in the store.

    What was resolved before, from files that did not change, is taken from the store.
    """
    entry = catalog.find(model) if isinstance(model, str) else None
    if entry is not None:
        return package.resolve(entry, store)
    return _from_file(_existing(model), store)


def _existing(model: str | Path) -> Path:
    try:
        path = Path(model).expanduser()
        if path.is_file():
            return path.absolute()
        what = "is a folder" if path.is_dir() else "is neither a known name nor a file"
    except TypeError:
        what = f"is no name and no path, but of type {type(model).__name__}"
    except (OSError, RuntimeError) as error:  # a name too long, or a ~user that is not there
        what = f"is not a known name, and as a path it fails ({error})"
    raise _not_found(str(model), what)


def _from_file(path: Path, store: BlockStore) -> Manifest:
    key = f"onnx {path} by {builds.BUILDER}"
    manifest = builds.recall(store, key)
    if manifest is None:
        # A model that is kept does not pay the 0.3 s that importing onnx takes.
        from ipfs_accelerate.models import onnx_file  # noqa: PLC0415 - it imports onnx

        manifest, stamps = onnx_file.read(path, store)
        builds.remember(store, key, manifest, stamps)
    return manifest


def _not_found(model: str, what: str) -> ModelError:
    return ModelError(
        f"There is no model {model!r}: it {what}.",
        code="model_not_found",
        hint=f"The nearest name is {catalog.nearest(model)!r}; "
        "the path of an .onnx file works too.",
        details={"model": model, "nearest": catalog.nearest(model)},
    )
