"""Takes weights that several components have in common out of them, to be inputs held once.

For a backend that computes with an input as fast as with a weight of its own, where the graphs
differ and so can't be one component.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.components import Component, Layout, Stage, components_of
from ipfs_accelerate.models.manifest import Block, Weight
from ipfs_accelerate.protocol.messages import Lent
from ipfs_accelerate.tensors.dtypes import by_onnx, onnx_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx import GraphProto, ModelProto

    from ipfs_accelerate.models.blocks import BlockStore

LENDING = frozenset({"webgpu"})
"""The platforms on which an input costs no more than a weight."""
LEAST_BYTES = 64 * 1024
"""Below it a weight saves less than it takes to keep an account of it."""
_TAKEN_AS = {"MatMul": 1, "Gather": 0, "Gemm": 1}
"""Operators, and which of their inputs may as well come from outside: no fusion folds these."""
_MAKER = 1
"""Raised whenever a file is changed in another way."""


def lend(layouts: Mapping[str, Layout], store: BlockStore) -> dict[str, Layout]:
    """The layouts, with every large weight of several components lent to each of them."""
    components = components_of(layouts.values())
    users = Counter(
        cid
        for component in components.values()
        for cid in {one.cid for one in component.weights} | {one.cid for one in component.lent}
    )
    shared = frozenset(
        weight.cid
        for component in components.values()
        for weight in component.weights
        if users[weight.cid] > 1 and weight.size >= LEAST_BYTES
    )
    lending = {key: _lending(one, shared, store) for key, one in components.items()}
    return {
        name: replace(layout, stages=tuple(_stage(one, lending) for one in layout.stages))
        for name, layout in layouts.items()
    }


def _stage(stage: Stage, lending: Mapping[str, Component]) -> Stage:
    return Stage(lending[stage.component.key], stage.takes)


def _lending(component: Component, shared: frozenset[str], store: BlockStore) -> Component:
    wanted = sorted(shared & {weight.cid for weight in component.weights})
    if not wanted:
        return component
    names = hashlib.sha256("\n".join(wanted).encode()).hexdigest()
    key = f"lending {component.key} of {names} by {_MAKER}"
    graph, lent = _recall(key, store) or _make(key, component, frozenset(wanted), store)
    gone = {one.cid for one in lent}
    weights = tuple(weight for weight in component.weights if weight.cid not in gone)
    return replace(component, graph=graph, weights=weights, lent=component.lent + lent)


def _recall(key: str, store: BlockStore) -> tuple[Block, tuple[Lent, ...]] | None:
    cid = store.recall(key)
    if cid is None:
        return None
    try:
        note = json.loads(store.get(cid))
        graph = Block(*note["graph"])
        lent = tuple(
            Lent(name, cid, size, dtype, tuple(shape))
            for name, cid, size, dtype, shape in note["lent"]
        )
    except (ValueError, KeyError, TypeError, ModelError):
        return None
    return (graph, lent) if store.holds(graph) else None


def _make(
    key: str, component: Component, wanted: frozenset[str], store: BlockStore
) -> tuple[Block, tuple[Lent, ...]]:
    from onnx import load_from_string  # noqa: PLC0415 - 0.3 s, and what is known needs it not

    model = load_from_string(store.get(component.graph.cid))
    lent = _open(model, {weight.cid: weight for weight in component.weights}, wanted)
    graph = store.put(model.SerializeToString(deterministic=True)) if lent else component.graph
    note = {
        "graph": [graph.cid, graph.size],
        "lent": [[one.input, one.cid, one.size, one.dtype, list(one.shape)] for one in lent],
    }
    store.remember(key, store.put(json.dumps(note, sort_keys=True).encode()).cid)
    return graph, lent


def _open(
    model: ModelProto, weights: Mapping[str, Weight], wanted: frozenset[str]
) -> tuple[Lent, ...]:
    """Make the wanted weights inputs of the graph, where every use of their bytes allows it."""
    from onnx import helper  # noqa: PLC0415 - see _make

    graph = model.graph
    if any(one.HasField("g") or one.graphs for node in graph.node for one in node.attribute):
        return ()  # a graph inside may use any of them
    fitting = _fitting(graph)
    places = {tensor.name: _location(tensor) for tensor in graph.initializer}
    held_back = {place for name, place in places.items() if name not in fitting}
    lent: list[Lent] = []
    for tensor in list(graph.initializer):
        cid = places[tensor.name]
        if cid not in wanted or cid in held_back:
            continue
        graph.initializer.remove(tensor)
        shape = tuple(tensor.dims)
        graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, shape))
        dtype = by_onnx(onnx_name(tensor.data_type)).wire
        lent.append(Lent(tensor.name, cid, weights[cid].size, dtype, shape))
    return tuple(lent)


def _fitting(graph: GraphProto) -> set[str]:
    """The names that are used only where an input will do."""
    uses: dict[str, bool] = {}
    for node in graph.node:
        for place, name in enumerate(node.input):
            fits = _TAKEN_AS.get(node.op_type) == place and not node.domain
            uses[name] = uses.get(name, True) and fits
    outputs = {value.name for value in graph.output}
    return {name for name, fits in uses.items() if fits} - outputs


def _location(tensor: object) -> str:
    entries = getattr(tensor, "external_data", ())
    return next((entry.value for entry in entries if entry.key == "location"), "")
