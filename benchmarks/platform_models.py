"""MiniLM as files: in fp32 as it is, and in int8 as onnxruntime's dynamic quantisation makes it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnxruntime.quantization import (  # type: ignore[import-untyped]  # it has no types
    QuantType,
    quantize_dynamic,
)

from ipfs_accelerate.models import DEFAULT, BlockStore, resolve

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FP32, INT8 = "fp32", "int8"
_WORDS = (1000, 30_000)
"""The ids of the vocabulary's ordinary words."""


def files(folder: Path) -> dict[str, Path]:
    """The path of each precision's file; both hold their weights themselves."""
    store = BlockStore(folder / "cache")
    made = {name: folder / f"{name}.onnx" for name in (FP32, INT8)}
    onnx.save(onnx.load(store.path(resolve(DEFAULT, store).graph.cid)), made[FP32])
    logging.getLogger().setLevel(logging.ERROR)  # it advises a step that changes nothing here
    # Unsigned, since signed weights overflow on processors without VNNI; one scale per channel.
    quantize_dynamic(made[FP32], made[INT8], per_channel=True, weight_type=QuantType.QUInt8)
    return made


def feeds(seed: int, rows: int, tokens: int) -> dict[str, NDArray[Any]]:
    """Inputs without padding; each seed's are others."""
    ids = np.random.default_rng(seed).integers(*_WORDS, (rows, tokens), np.int32)
    return {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
