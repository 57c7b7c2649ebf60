"""The node test cases of the `onnx` package: each operator's inputs, and the outputs they give."""

from __future__ import annotations

import random
import re
import warnings
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import ConfigError
from ipfs_accelerate.models.onnx_file import NEWEST_IR, NEWEST_OPSET
from ipfs_accelerate.tensors.dtypes import NOT_CARRIED
from ipfs_accelerate.validate import native
from ipfs_accelerate.validate.cases import Case
from ipfs_accelerate.validate.compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from onnx import GraphProto, ModelProto

RANDOM = frozenset(
    {
        *("Bernoulli", "Dropout", "Multinomial"),
        *("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"),
    }
)
"""Operators that draw numbers, each implementation its own."""
_SEED = 0


def collect(
    *,
    only: str | None = None,
    sample: int | None = None,
    tolerance: Mapping[str, float],
) -> list[Case]:
    """The cases in whose name, or an operator's, `only` is found; of these, so many by lot.

    Making them takes some seconds, since `onnx` computes their outputs when they are imported.
    """
    pattern = _pattern(only or "")
    found = [one for one in _load() if any(map(pattern.search, _names(one)))]
    if sample is not None and sample < len(found):
        chosen = set(random.Random(_SEED).sample(range(len(found)), sample))  # noqa: S311 - no secret
        found = [one for number, one in enumerate(found) if number in chosen]
    return [_case(one, tolerance) for one in found]


def operators_of(model: ModelProto) -> tuple[str, ...]:
    """The operators of a model's graph, each once, in order."""
    return tuple(dict.fromkeys(node.op_type for node in model.graph.node))


def _pattern(only: str) -> re.Pattern[str]:
    try:
        return re.compile(only, re.IGNORECASE)
    except re.error as error:
        raise ConfigError(
            f"--only {only!r} is no pattern: {error}.", hint="It is a regular expression."
        ) from error


def _names(case: Any) -> tuple[str, ...]:
    """By what it is found: the case's name and, where it is of one operator, that one's."""
    name, nodes = case.name.removeprefix("test_"), case.model.graph.node
    return (name, nodes[0].op_type) if len(nodes) == 1 else (name,)


def _load() -> Sequence[Any]:
    from onnx.backend.test.loader import load_node_model_tests  # noqa: PLC0415 - takes seconds

    with warnings.catch_warnings():  # of NumPy, where the cases divide by zero on purpose
        warnings.simplefilter("ignore")
        cases: list[Any] = load_node_model_tests()
    return cases


def _case(made: Any, tolerance: Mapping[str, float]) -> Case:
    model, note = _readable(made.model)
    ((inputs, outputs),) = made.data_sets
    case = {
        "name": _names(made)[0],
        "operators": operators_of(model),
        "note": note,
        "model": model.SerializeToString(),
        "random": any(node.op_type in RANDOM for node in _nodes(model.graph)),
    }
    refusal = _not_carried(model)
    if refusal:
        return Case(**case, inputs={}, refusal=refusal, native="not asked")
    feeds = _arrays(model.graph.input, inputs)
    right = _arrays(model.graph.output, outputs)
    opinion = _opinion(model, feeds, right, tolerance) if not case["random"] else "not asked"
    return Case(**case, inputs=feeds, right=right, native=opinion)


def _nodes(graph: GraphProto) -> Iterator[Any]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _nodes(inner)


def _not_carried(model: ModelProto) -> str:
    """Which input or output no frame carries, in words; nothing where each can be."""
    for port in (*model.graph.input, *model.graph.output):
        kind = port.type.WhichOneof("value")
        if kind != "tensor_type":
            return f"{port.name} is of the type {kind.removesuffix('_type')}, not a tensor"
        number = port.type.tensor_type.elem_type
        if number in NOT_CARRIED:
            return f"{port.name} is of the dtype {NOT_CARRIED[number][0]}, which no frame carries"
    return ""


def _arrays(ports: Sequence[Any], values: Sequence[Any]) -> dict[str, NDArray[Any]]:
    return {port.name: _array(value) for port, value in zip(ports, values, strict=True)}


def _array(value: Any) -> NDArray[Any]:
    import numpy as np  # noqa: PLC0415 - see collect
    from onnx import TensorProto, numpy_helper  # noqa: PLC0415

    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value)


def _readable(model: ModelProto) -> tuple[ModelProto, str]:
    """The model in the newest opset that the engine reads, where it is valid so; and a note."""
    from onnx import ModelProto, checker  # noqa: PLC0415 - see collect

    later = [one for one in model.opset_import if one.domain == "" and one.version > NEWEST_OPSET]
    if not later:
        return model, ""
    lowered = ModelProto()
    lowered.CopyFrom(model)
    lowered.ir_version = min(lowered.ir_version, NEWEST_IR)
    for one in lowered.opset_import:
        if one.domain == "":
            one.version = NEWEST_OPSET
    try:
        checker.check_model(lowered, full_check=True)
    except Exception:  # noqa: BLE001 - its C++ classes have no common root: it stays as it is
        return model, ""
    return lowered, f"run as opset {NEWEST_OPSET}, not {later[0].version}"


def _opinion(
    model: ModelProto,
    inputs: Mapping[str, NDArray[Any]],
    right: Mapping[str, NDArray[Any]],
    tolerance: Mapping[str, float],
) -> str:
    """What native onnxruntime makes of the case, in a word or with its reason."""
    if not native.installed():
        return ""
    try:
        computed = native.run(model.SerializeToString(), inputs)
    except native.RefusedError as error:
        return f"{native.REFUSES} it: {error}"
    difference = compare(computed, right, tolerance)
    return "right" if difference is None else f"wrong: {difference}"
