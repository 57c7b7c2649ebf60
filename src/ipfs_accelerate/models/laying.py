"""Lays models out together: cut where they are equal and it pays, each component in the store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.components import Component, Layout, Stage, Take, whole
from ipfs_accelerate.models.dags import dag_of
from ipfs_accelerate.models.manifest import Block, Weight

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ipfs_accelerate.graph import Costs, Dag, Part, Source
    from ipfs_accelerate.models.blocks import BlockStore
    from ipfs_accelerate.models.manifest import Manifest

_MAKER = 1
"""Raised whenever a component's file is made in another way."""


def lay_out(
    manifests: Mapping[str, Manifest],
    store: BlockStore,
    costs: Costs,
    present: Mapping[str, Layout],
    fixed: Collection[Part] | None = None,
) -> dict[str, Layout]:
    """A layout for each model; what is `present` stays as it is where that is as good.

    With `fixed`, a model is cut only where it begins with these parts, which are loaded.
    """
    from ipfs_accelerate.graph import partition  # noqa: PLC0415 - only where there are several

    dags = {key: dag_of(manifest, store) for key, manifest in manifests.items()}
    cut = partition(dags, costs, fixed)
    shared = {digest for digest, users in cut.users().items() if len(users) > 1}
    shared |= {part.digest for part in fixed or ()}
    layouts: dict[str, Layout] = {}
    for key, manifest in manifests.items():
        parts = cut.models[key]
        if key in present and _digests(present[key].parts) == _digests(parts):
            layouts[key] = present[key]
        elif shared.isdisjoint(_digests(parts)):
            layouts[key] = whole(manifest, macs=sum(part.macs for part in parts))
        else:
            layouts[key] = _layout(manifest, dags[key], parts, store)
    return layouts


def _digests(parts: tuple[Part, ...]) -> tuple[str, ...]:
    return tuple(part.digest for part in parts)


def _layout(manifest: Manifest, dag: Dag, parts: tuple[Part, ...], store: BlockStore) -> Layout:
    stages = tuple(
        Stage(_component(manifest, dag, part, store), tuple(map(_take, part.inputs)))
        for part in parts
    )
    outputs = {
        name: (number, result.name)
        for number, part in enumerate(parts)
        for result in part.outputs
        for name in result.outputs
    }
    return Layout(stages, outputs, parts)


def _take(source: Source) -> Take:
    if source.part is not None and source.output is not None:
        place: str | tuple[int, str] = (source.part, source.output)
    else:
        place = source.input or ""
    return Take(source.name, source.dtype, source.shape, source.model_shape, place)


def _component(manifest: Manifest, dag: Dag, part: Part, store: BlockStore) -> Component:
    key = f"component {part.digest} by {_MAKER}"
    return _recall(key, part, store) or _make(key, manifest, dag, part, store)


def _recall(key: str, part: Part, store: BlockStore) -> Component | None:
    cid = store.recall(key)
    if cid is None:
        return None
    try:
        note = json.loads(store.get(cid))
        graph = Block(*note["graph"])
        weights = tuple(Weight(*one) for one in note["weights"])
    except (ValueError, KeyError, TypeError, ModelError):
        return None
    blocks = [graph, *(Block(one.cid, one.size) for one in weights)]
    if not all(store.holds(block) for block in blocks):
        return None
    return Component(graph, weights, part.macs, part.repeatable, part.digest)


def _make(key: str, manifest: Manifest, dag: Dag, part: Part, store: BlockStore) -> Component:
    import onnx  # noqa: PLC0415 - 0.3 s, and a component that is kept needs it not

    from ipfs_accelerate.graph import extract, inner_blocks  # noqa: PLC0415 - as above

    model = onnx.load(store.path(manifest.graph.cid), load_external_data=False)
    for _, data in inner_blocks(model, dag, part):
        store.put(data)
    graph = store.put(extract(model, dag, part).SerializeToString(deterministic=True))
    blocks = {one.cid: one.size for one in part.weights if one.cid is not None}
    weights = tuple(Weight(cid, cid, size) for cid, size in blocks.items())
    note = {
        "graph": [graph.cid, graph.size],
        "weights": [[one.path, one.cid, one.size] for one in weights],
    }
    store.remember(key, store.put(json.dumps(note, sort_keys=True).encode()).cid)
    return Component(graph, weights, part.macs, part.repeatable, part.digest)
