"""Writes a model's own functions out where they are called, so that their nodes are nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx import inliner

from ipfs_accelerate.graph.limits import MOST_NODES, graphs_of
from ipfs_accelerate.graph.refusal import invalid

if TYPE_CHECKING:
    from collections.abc import Iterable

    from onnx import ModelProto, NodeProto

DEEPEST = 64
"""Functions within functions."""

_Name = tuple[str, str, str]


def written_out(model: ModelProto) -> ModelProto:
    """The model without functions of its own; itself if it has none, or they can't be."""
    if not model.functions:
        return model
    _check(model)
    try:
        return inliner.inline_local_functions(model)
    except Exception:  # noqa: BLE001 - onnx raises what C++ throws; the calls then stay
        return model


def _check(model: ModelProto) -> None:
    """Raise if functions call themselves, or would grow beyond all bounds: onnx does not look."""
    bodies: dict[_Name, list[_Name]] = {}
    sizes: dict[_Name, int] = {}
    for function in model.functions:
        name = (function.domain, function.name, function.overload)
        if name in bodies:
            raise invalid(f"two of its functions are named {function.name!r}")
        bodies[name] = _calls(function.node)
    total = sum(_size(one, bodies, sizes, 1) for one in _calls(model.graph.node))
    if total > MOST_NODES:
        raise invalid(f"its functions make more than {MOST_NODES:,} nodes")


def _size(
    name: _Name, bodies: dict[_Name, list[_Name]], sizes: dict[_Name, int], depth: int
) -> int:
    """Count the nodes that a call becomes."""
    if name not in bodies:
        return 1
    if depth > DEEPEST:
        raise invalid(f"its function {name[1]!r} calls itself, or more than {DEEPEST} deep")
    if name not in sizes:
        sizes[name] = sum(_size(one, bodies, sizes, depth + 1) for one in bodies[name])
    return sizes[name]


def _calls(nodes: Iterable[NodeProto]) -> list[_Name]:
    """What the nodes are, and those of the graphs within them."""
    found: list[_Name] = []
    waiting = [nodes]
    while waiting:
        for node in waiting.pop():
            found.append((node.domain, node.op_type, node.overload))
            waiting += [graph.node for one in node.attribute for graph in graphs_of(one)]
    return found
