"""Any ONNX file as blocks: its large weights each become one, whatever file they were in."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import onnx
from onnx import ModelProto, TensorProto

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import builds
from ipfs_accelerate.models.external import SMALLEST, distinct, keep_inside, move_out
from ipfs_accelerate.models.manifest import Block, Manifest, Weight
from ipfs_accelerate.models.onnx_parts import attribute_tensors, graphs_of, ports
from ipfs_accelerate.models.refusal import invalid
from ipfs_accelerate.models.stored import Folder, data_of
from ipfs_accelerate.tensors.dtypes import onnx_name

if TYPE_CHECKING:
    from pathlib import Path

    from ipfs_accelerate.models.blocks import BlockStore

# The engine reads IR 13, and onnx writes 14 by default, which is 13 with two 6-bit float types
# more. A model that has them is still refused by the engine, in words that name them.
NEWEST_IR = 13
_SAME_IR = {14: NEWEST_IR}
# What onnxruntime-web 1.30 reads; onnx 1.23 writes 28 where nobody says which.
NEWEST_OPSET = 26
_PRECISIONS = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64"}


def read(path: Path, store: BlockStore) -> tuple[Manifest, builds.Stamps]:
    """Put the model's parts into the store; also what the files that it came from looked like."""
    stamps, model = _parse(path)
    folder = Folder(path)
    inputs, outputs = ports(path, model)
    weights, held = _move_weights(model, folder, store)
    manifest = Manifest(
        name=path.stem,
        family="unknown",
        task="tensors",
        graph=keep(path, model, store),
        weights=distinct(weights),
        inputs=inputs,
        outputs=outputs,
        tokenizer=None,
        max_length=None,
        precision=_precision(held),
        licence="unknown",
        source=f"file {path.name}",
    )
    return manifest, stamps | folder.stamps


def _parse(path: Path) -> tuple[builds.Stamps, ModelProto]:
    try:
        stamps = builds.stamps_of([path])
        model = onnx.load(path, load_external_data=False)
    except OSError as error:
        raise invalid(path, f"it cannot be read: {error.strerror or error}") from error
    except Exception as error:  # protobuf's own class, in a package that has no types
        raise invalid(path, "its bytes are not an ONNX protobuf; it may be cut short") from error
    if not model.graph.node or not model.opset_import:
        raise invalid(path, "it holds no graph")
    for opset in model.opset_import:
        if opset.domain in ("", "ai.onnx") and opset.version > NEWEST_OPSET:
            raise _too_new(path, opset.version)
    model.ir_version = _SAME_IR.get(model.ir_version, model.ir_version)
    return stamps, model


def _too_new(path: Path, opset: int) -> ModelError:
    return ModelError(
        f"{path} is of opset {opset}; the engine reads up to {NEWEST_OPSET}.",
        hint="Save it with opset_imports=[onnx.helper.make_opsetid('', "
        f"{NEWEST_OPSET})], or convert it by onnx.version_converter.convert_version.",
        details={"path": str(path), "opset": opset, "newest": NEWEST_OPSET},
    )


def _move_weights(
    model: ModelProto, folder: Folder, store: BlockStore
) -> tuple[list[Weight], Counter[int]]:
    """Give every large initializer a block; also the bytes of weights held in each data type."""
    weights: list[Weight] = []
    held: Counter[int] = Counter()
    for graph in graphs_of(model):
        for tensor in graph.initializer:
            _move(tensor, folder, store, weights, held)
    for tensor in attribute_tensors(model):
        # A constant's value stays in the graph; only its place outside would be lost.
        if tensor.data_location == TensorProto.EXTERNAL:
            keep_inside(tensor, data_of(tensor, folder) or b"")
    return weights, held


def _move(
    tensor: TensorProto,
    folder: Folder,
    store: BlockStore,
    weights: list[Weight],
    held: Counter[int],
) -> None:
    # In a function of its own, so that one tensor's bytes are gone before the next one's come.
    data = data_of(tensor, folder)
    if data is None:
        return
    held[tensor.data_type] += len(data)
    if len(data) >= SMALLEST:
        weights.append(move_out(tensor, data, store))
    elif tensor.data_location == TensorProto.EXTERNAL:
        keep_inside(tensor, data)


def keep(path: Path, model: ModelProto, store: BlockStore) -> Block:
    """Put the graph into the store, always the same bytes for the same graph."""
    try:
        data = model.SerializeToString(deterministic=True)
    except Exception as error:  # protobuf's own class, in a package that has no types
        raise invalid(path, "what stays inside the graph is more than 2 GB") from error
    return store.put(data)


def _precision(held: Counter[int]) -> str:
    """Name the type that holds the most bytes of weights."""
    if not held:
        return "none"
    name = onnx_name(held.most_common(1)[0][0])
    return _PRECISIONS.get(name, name)
