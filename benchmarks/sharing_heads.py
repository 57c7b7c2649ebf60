"""Three small heads of our own: a classifier, a reranker's score, a similarity to known vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray
    from onnx import NodeProto

    Weights = Mapping[str, NDArray[np.float32]]
    Body = Callable[[int, np.random.Generator], tuple[list[NodeProto], Weights]]

CLASSES, HIDDEN, KNOWN = 8, 64, 16
_OPSET, _IR = 17, 8
_SEED = 20260101


def heads(folder: Path, value: str, shape: list[str | int], width: int) -> list[Path]:
    """Write the three, on a value of a base's graph whose items make rows of this width.

    Their operators mean the same in every opset from 7 on, so that they fit an old base too.
    """
    rng = np.random.default_rng(_SEED)
    return [
        _head(folder / f"{name}.onnx", value, shape, *body(width, rng))
        for name, body in _BODIES.items()
    ]


def _head(
    path: Path, value: str, shape: list[str | int], nodes: list[NodeProto], weights: Weights
) -> Path:
    flat = helper.make_node("Flatten", [value], ["rows"])
    given = helper.make_tensor_value_info(value, TensorProto.FLOAT, shape)
    made = helper.make_tensor_value_info(path.stem, TensorProto.FLOAT, None)
    nodes[-1].output[:] = [path.stem]
    constants = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph([flat, *nodes], path.stem, [given], [made], constants)
    opset = helper.make_opsetid("", _OPSET)
    path.parent.mkdir(parents=True, exist_ok=True)
    save(helper.make_model(graph, opset_imports=[opset], ir_version=_IR), str(path))
    return path


def _classifier(width: int, rng: np.random.Generator) -> tuple[list[NodeProto], Weights]:
    nodes = [_node("Gemm", "rows", "w", "b"), _node("Sigmoid", "Gemm")]
    return nodes, {"w": _matrix(rng, width, CLASSES), "b": np.zeros(CLASSES, np.float32)}


def _reranker(width: int, rng: np.random.Generator) -> tuple[list[NodeProto], Weights]:
    nodes = [
        _node("Gemm", "rows", "w", "b"),
        _node("Tanh", "Gemm"),
        _node("MatMul", "Tanh", "v"),
        _node("Sigmoid", "MatMul"),
    ]
    weights = {"w": _matrix(rng, width, HIDDEN), "b": np.zeros(HIDDEN, np.float32)}
    return nodes, {**weights, "v": _matrix(rng, HIDDEN, 1)}


def _similarity(width: int, rng: np.random.Generator) -> tuple[list[NodeProto], Weights]:
    known = rng.standard_normal((width, KNOWN)).astype(np.float32)
    return [_node("MatMul", "rows", "known")], {"known": known / np.linalg.norm(known, axis=0)}


def _node(operator: str, *inputs: str) -> NodeProto:
    return helper.make_node(operator, inputs, [operator])


def _matrix(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float32]:
    drawn: NDArray[np.float32] = rng.standard_normal((rows, columns), np.float32)
    return drawn / np.float32(rows**0.5)


_BODIES: dict[str, Body] = {
    "classifier": _classifier,
    "reranker": _reranker,
    "similarity": _similarity,
}
