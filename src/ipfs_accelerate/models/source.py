"""From what the user names to a manifest: a catalogued name, or the path of an ONNX file."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import builds, catalog

if TYPE_CHECKING:
    from ipfs_accelerate.models.blocks import BlockStore
    from ipfs_accelerate.models.manifest import Manifest

READER = 1
"""Raised whenever a source is turned into blocks in another way, so that it is done anew."""


def resolve(model: str | Path, store: BlockStore) -> Manifest:
    """Give the model's manifest, with all its blocks in the store.

    What was resolved before, from files that did not change, is taken from the store.
    """
    entry = catalog.find(model) if isinstance(model, str) else None
    if entry is not None:
        return _from_package(entry, store)
    path = Path(model).expanduser()
    if not path.is_file():
        raise _not_found(str(model), path)
    return _from_file(path.absolute(), store)


def _from_package(entry: catalog.Entry, store: BlockStore) -> Manifest:
    # Finding a package's files loads a part of the standard library that a path does not need.
    package = import_module("ipfs_accelerate.models.package")
    found: Manifest = package.resolve(entry, store, READER)
    return found


def _from_file(path: Path, store: BlockStore) -> Manifest:
    key = f"onnx {path} by {READER}"
    manifest = builds.recall(store, key)
    if manifest is None:
        # onnx takes 0.3 s to import, which a model that is kept does not pay.
        onnx_file = import_module("ipfs_accelerate.models.onnx_file")
        manifest, stamps = onnx_file.read(path, store)
        builds.remember(store, key, manifest, stamps)
    return manifest


def _not_found(model: str, path: Path) -> ModelError:
    what = "is a folder, not a model" if path.is_dir() and model else "is no model that is known"
    return ModelError(
        f"{model!r} {what}, and there is no file of that name.",
        code="model_not_found",
        hint=f"The nearest name is {catalog.nearest(model)!r}; "
        "the path of an .onnx file works too.",
        details={"model": model, "nearest": catalog.nearest(model)},
    )
