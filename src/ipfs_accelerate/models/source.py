"""From what the user names to a manifest: a catalogued name, an ONNX file, or BASE+HEAD.onnx."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import builds, catalog, package
from ipfs_accelerate.models.dags import dag_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ipfs_accelerate.models.blocks import BlockStore
    from ipfs_accelerate.models.manifest import Manifest

Built: TypeAlias = "tuple[Manifest, builds.Stamps]"
"""A model, and what the files that it came from looked like."""


def resolve(model: str | Path, store: BlockStore) -> Manifest:
    """Give the model's manifest, with all its blocks in the store.

    What was resolved before, from files that did not change, is taken from the store.
    """
    entry = catalog.find(model) if isinstance(model, str) else None
    if entry is not None:
        return package.resolve(entry, store)
    path, what = _look(model)
    if path is not None:
        return _from_file(path, store)
    if isinstance(model, str | Path) and "+" in str(model):
        return _with_head(str(model), store)
    raise _not_found(str(model), what)


def files_behind(model: str | Path, store: BlockStore) -> builds.Stamps:
    """The files that a model came from which was resolved before; none of a catalogued one."""
    if isinstance(model, str) and catalog.find(model) is not None:
        return {}
    path, _ = _look(model)
    if path is not None:
        return builds.files_of(store, _file_key(path))
    base, head = _parted(str(model))
    path, _ = _look(head)
    key = _head_key(resolve(base, store), path) if path is not None else ""
    return files_behind(base, store) | builds.files_of(store, key)


def resolve_head(base: Manifest, head: Path, store: BlockStore) -> Manifest:
    """Give the manifest of the model that the head in this file makes on the base."""

    def build() -> Built:
        # A model that is kept does not pay the 0.3 s that importing onnx takes.
        from ipfs_accelerate.models import heads  # noqa: PLC0415 - it imports onnx

        return heads.attach(base, head, store)

    return _kept(_head_key(base, head), store, build)


def _head_key(base: Manifest, head: Path) -> str:
    return f"head {head} on {base.key} by {builds.BUILDER}"


def _file_key(path: Path) -> str:
    return f"onnx {path} by {builds.BUILDER}"


def _look(model: str | Path) -> tuple[Path | None, str]:
    """The file of that name; else what there is in its place."""
    try:
        path = Path(model).expanduser()
        if path.is_file():
            return path.absolute(), ""
        return None, "is a folder" if path.is_dir() else "is neither a known name nor a file"
    except TypeError:
        return None, f"is no name and no path, but of type {type(model).__name__}"
    except (OSError, RuntimeError, ValueError) as error:
        # A name too long or with a null in it, or a ~user that is not there.
        return None, f"is not a known name, and as a path it fails ({error})"


def _from_file(path: Path, store: BlockStore) -> Manifest:
    def build() -> Built:
        from ipfs_accelerate.models import onnx_file  # noqa: PLC0415 - see resolve_head

        return onnx_file.read(path, store)

    return _kept(_file_key(path), store, build)


def _kept(key: str, store: BlockStore, build: Callable[[], Built]) -> Manifest:
    """What was built under this key, or is built now; its graph says whether it is random."""
    manifest = builds.recall(store, key)
    if manifest is None:
        made, stamps = build()
        manifest = replace(made, repeatable=dag_of(made, store).repeatable)
        builds.remember(store, key, manifest, stamps)
    return manifest


def _with_head(model: str, store: BlockStore) -> Manifest:
    base, head = _parted(model)
    path, _ = _look(head)
    if path is None:
        raise _no_head(model, head)
    try:
        below = resolve(base, store)
    except ModelError as error:
        if error.code != "model_not_found":
            raise
        raise _no_base(model, error) from error
    return resolve_head(below, path, store)


def _parted(model: str) -> tuple[str, str]:
    """What stands before the last + and after it; a + in the head's own path is none of those."""
    places = [place for place, letter in enumerate(model) if letter == "+"]
    parts = [(model[:place], model[place + 1 :]) for place in reversed(places)]
    return next((part for part in parts if _look(part[1])[0] is not None), parts[0])


def _no_head(model: str, head: str) -> ModelError:
    return ModelError(
        f"There is no model {model!r}: {head!r}, which is to be its head, is not a file.",
        code="model_not_found",
        hint="A head is given as the path of its .onnx file: BASE+HEAD.onnx.",
        details={"model": model, "head": head},
    )


def _no_base(model: str, error: ModelError) -> ModelError:
    return ModelError(
        f"There is no base for the head of {model!r}. {error.message}",
        code="model_not_found",
        hint=error.hint,
        details={**error.details, "model": model},
    )


def _not_found(model: str, what: str) -> ModelError:
    return ModelError(
        f"There is no model {model!r}: it {what}.",
        code="model_not_found",
        hint=f"The nearest name is {catalog.nearest(model)!r}; "
        "the path of an .onnx file works too.",
        details={"model": model, "nearest": catalog.nearest(model)},
    )
