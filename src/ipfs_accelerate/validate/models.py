"""A model as a case: its inputs, given or made, and what native onnxruntime computes of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.models import resolve
from ipfs_accelerate.models.inputs import check_inputs
from ipfs_accelerate.models.text import TextProcessor
from ipfs_accelerate.validate import native, samples
from ipfs_accelerate.validate.cases import Case
from ipfs_accelerate.validate.operators import operators_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ipfs_accelerate.models import BlockStore, Manifest

NO_INPUTS = "Give its inputs by --input NAME=FILE.npy."


def case_of(model: str, given: Mapping[str, NDArray[Any]], store: BlockStore) -> Case:
    """The model with the inputs given, or else texts or seeded random numbers."""
    manifest = resolve(model, store)
    graph = store.path(manifest.graph.cid)
    # What the caller named is the reference, not what was made of it; a name has only the latter.
    original = graph if manifest.family != "unknown" else Path(model).expanduser()
    case: dict[str, Any] = {"name": model, "model": model, "operators": _operators(graph)}
    failure = ""
    for inputs, note in _candidates(manifest, given, store):
        try:
            right = native.run(original, inputs)
        except native.RefusedError as error:
            failure = failure or f"native onnxruntime refuses it: {error}"
        else:
            return Case(**case, inputs=inputs, right=right, note=note)
    return Case(**case, inputs={}, failure=failure if given else f"{failure} {NO_INPUTS}")


def _operators(graph: Path) -> tuple[str, ...]:
    import onnx  # noqa: PLC0415 - loaded with the first model

    return operators_of(onnx.load(graph, load_external_data=False))


def _candidates(manifest: Manifest, given: Mapping[str, NDArray[Any]], store: BlockStore) -> Any:
    """Inputs, and how they were made; the first that native onnxruntime takes are used."""
    if given:
        yield check_inputs(manifest.inputs, given), "the inputs given"
    elif manifest.tokenizer is not None:
        texts = list(samples.TEXTS)
        yield dict(TextProcessor(manifest, store)(texts)), f"the texts {texts}"
    else:
        for size in samples.SIZES:
            note = f"random inputs of seed {samples.SEED}, free dimensions {size}"
            yield samples.random_inputs(manifest.inputs, size), note
