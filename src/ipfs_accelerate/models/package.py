"""A catalogued model out of its installed package, whose files are found without importing it.

Importing such a package would load torch, which nothing here uses.
"""

from __future__ import annotations

import json
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import builds
from ipfs_accelerate.models.manifest import Manifest

if TYPE_CHECKING:
    from ipfs_accelerate.models.blocks import BlockStore
    from ipfs_accelerate.models.catalog import Entry

_CONFIG = "config.json"
_WEIGHTS = "model.safetensors"
_TOKENIZER = "tokenizer.json"
_SENTENCES = "sentence_bert_config.json"


def resolve(entry: Entry, store: BlockStore) -> Manifest:
    """Give the manifest of the entry's model, from the store or built of the package's files."""
    folder = find_folder(entry)
    version = metadata.version(entry.package)
    stamps = builds.stamps_of(folder / name for name in (_CONFIG, _WEIGHTS, _TOKENIZER, _SENTENCES))
    key = f"package {entry.package} {version} at {folder} by {builds.BUILDER}"
    manifest = builds.recall(store, key)
    if manifest is None:
        manifest = _build(entry, version, folder, store)
        builds.remember(store, key, manifest, stamps)
    return manifest


def find_folder(entry: Entry) -> Path:
    """Find where the package keeps the model's files."""
    spec = util.find_spec(entry.module)
    if spec is None or not spec.submodule_search_locations:
        why = f"comes with the package {entry.package}, which is not installed"
        raise _missing(entry, why, entry.install)
    folder = Path(next(iter(spec.submodule_search_locations))) / entry.folder
    for name in (_CONFIG, _WEIGHTS, _TOKENIZER, _SENTENCES):
        if not (folder / name).is_file():
            why = f"needs {name}, which the package {entry.package} lacks at {folder}"
            raise _missing(entry, why, f"{entry.install} --force-reinstall")
    return folder


def _build(entry: Entry, version: str, folder: Path, store: BlockStore) -> Manifest:
    # A model that is kept does not pay the 0.3 s that importing onnx takes.
    from ipfs_accelerate.models import bert  # noqa: PLC0415 - it imports onnx

    built = bert.build(folder / _CONFIG, folder / _WEIGHTS, store)
    return Manifest(
        name=entry.name,
        family=entry.family,
        task=entry.task,
        graph=built.graph,
        weights=built.weights,
        inputs=built.inputs,
        outputs=built.outputs,
        tokenizer=store.put((folder / _TOKENIZER).read_bytes()),
        max_length=_max_length(folder / _SENTENCES),
        precision="fp32",
        licence=entry.licence,
        source=f"package {entry.package} {version}",
    )


def _max_length(path: Path) -> int:
    try:
        return int(json.loads(path.read_bytes())["max_seq_length"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path} does not say how long a text may be: {error!r}.",
            code="model_invalid",
            hint="Install the model's package again.",
            details={"path": str(path)},
        ) from error


def _missing(entry: Entry, why: str, command: str) -> ModelError:
    return ModelError(
        f"The model {entry.name} {why}.",
        code="model_package_missing",
        hint=f"Get it with: {command}",
        details={"package": entry.package, "command": command},
    )
