"""A DAG as JSON and back, so that a model that was read once needs no ONNX to be planned. Pure."""

from __future__ import annotations

import json
from dataclasses import astuple, fields
from typing import Any, TypeVar

from ipfs_accelerate.graph.dag import Dag, Node, Output, Port, Value, Weight
from ipfs_accelerate.graph.digests import of_input
from ipfs_accelerate.graph.refusal import invalid

FORMAT = 1
"""Of the JSON, and of the digests in it: a DAG of another format is read from its model anew."""

_Row = TypeVar("_Row", Node, Output, Port, Value, Weight)


def dump(dag: Dag) -> bytes:
    """Write the DAG, always the same bytes for the same one."""
    value = {
        "format": FORMAT,
        "nodes": [astuple(one) for one in dag.nodes],
        "values": {digest: astuple(one) for digest, one in dag.values.items()},
        "weights": [astuple(one) for one in dag.weights],
        "inputs": [astuple(one) for one in dag.inputs],
        "outputs": [astuple(one) for one in dag.outputs],
        "whole": dag.whole,
    }
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def load(data: bytes) -> Dag:
    """Read what `dump` wrote; anything else is refused."""
    try:
        dag = _read(json.loads(data))
        _check(dag)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise invalid(
            f"this is not the JSON of a graph: {error!r}",
            hint="Read the graph from its model again.",
        ) from error
    return dag


def _read(value: dict[str, Any]) -> Dag:
    if value["format"] != FORMAT:
        raise ValueError(f"its format is {value['format']!r}, not {FORMAT}")
    return Dag(
        nodes=tuple(_row(Node, one) for one in value["nodes"]),
        values={digest: _row(Value, one) for digest, one in value["values"].items()},
        weights=tuple(_row(Weight, one) for one in value["weights"]),
        inputs=tuple(_row(Port, one) for one in value["inputs"]),
        outputs=tuple(_row(Output, one) for one in value["outputs"]),
        whole=_typed("str | None", value["whole"]),
    )


def _row(kind: type[_Row], values: list[Any]) -> _Row:
    typed = [_typed(str(one.type), value) for one, value in zip(fields(kind), values, strict=True)]
    return kind(*typed)


def _typed(annotation: str, value: Any) -> Any:
    """The value as the field's annotation wants it."""
    if not _KINDS[annotation](value):
        raise TypeError(f"{str(value)[:80]!r} is not {annotation}")
    return _tuples(value)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _operators(value: Any) -> bool:
    return isinstance(value, list) and all(
        len(one) == len("dov") and _texts(one[:2]) and isinstance(one[2], int) for one in value
    )


def _shape(value: Any) -> bool:
    return value is None or (
        isinstance(value, list) and all(_text_or_none(one) or _count(one) for one in value)
    )


_KINDS = {
    "str": _text,
    "str | None": _text_or_none,
    "int": _count,
    "bool": lambda value: isinstance(value, bool),
    "tuple[str, ...]": _texts,
    "tuple[int, ...]": lambda value: isinstance(value, list) and all(map(_count, value)),
    "tuple[tuple[str, str, int], ...]": _operators,
    "Shape | None": _shape,
}


def _check(dag: Dag) -> None:
    """Raise unless every node finds what it uses made before it."""
    seen = dag.weight_of.keys() | {of_input(one.name, one.dtype) for one in dag.inputs}
    if dag.whole is not None:  # what nothing makes may be a sparse initializer
        seen |= dag.values.keys() - dag.producer_of.keys()
    for node in dag.nodes:
        if not seen.issuperset(node.uses()):
            raise ValueError(f"its node {node.index} uses what is not there yet")
        seen.update(node.outputs)
    if any(one.digest not in seen for one in dag.outputs):
        raise ValueError("an output of it is made by nothing")
