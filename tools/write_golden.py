"""Writes the golden vectors of catalogued models, by native onnxruntime.

python tools/write_golden.py
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import onnxruntime  # type: ignore[import-untyped]  # it has no types

from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.catalog import ENTRIES, Entry
from ipfs_accelerate.models.golden import FOLDER
from ipfs_accelerate.models.text import TextProcessor

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEXT = "A man is eating food."


def main() -> None:
    """One file for each model that the catalogue names."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for entry in ENTRIES:
            kept = golden(entry, BlockStore(Path(folder)))
            file = FOLDER / f"{entry.name}.json"
            file.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
            print(file)


def golden(entry: Entry, store: BlockStore) -> dict[str, Any]:
    """A short text's inputs, and what native onnxruntime makes of them."""
    manifest = resolve(entry.name, store)
    inputs = TextProcessor(manifest, store)(TEXT)
    session = onnxruntime.InferenceSession(
        store.path(manifest.graph.cid), providers=["CPUExecutionProvider"]
    )
    names = [port.name for port in manifest.outputs]
    outputs = dict(zip(names, session.run(names, inputs), strict=True))
    return {
        "made by": f"onnxruntime {onnxruntime.__version__}, CPUExecutionProvider",
        "text": TEXT,
        "precision": manifest.precision,
        "inputs": {name: kept(one) for name, one in inputs.items()},
        "outputs": {name: kept(one) for name, one in outputs.items()},
    }


def kept(array: NDArray[Any]) -> dict[str, Any]:
    """An array in JSON, with no digit lost."""
    return {"dtype": array.dtype.name, "shape": array.shape, "data": array.ravel().tolist()}


if __name__ == "__main__":
    main()
