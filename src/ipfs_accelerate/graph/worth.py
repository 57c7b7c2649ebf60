"""Whether a shared part saves more than its cut costs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.graph.dag import SMALLEST
from ipfs_accelerate.graph.work import elements
from ipfs_accelerate.tensors.dtypes import DTYPES

if TYPE_CHECKING:
    from ipfs_accelerate.graph.assembling import Component
    from ipfs_accelerate.graph.living import Living, Together
    from ipfs_accelerate.graph.parts import Costs

_BYTES = {one.onnx: one.size for one in DTYPES}


def pays(component: Component, models: Together, costs: Costs) -> bool:
    """Whether the component saves enough, and no model of it loses too much by the cut."""
    livings = [models.living[key] for key in component.models]
    return _saves(component, livings, costs) and all(
        _loss(component, living, costs) <= costs.most_loss
        or _share(component, living) >= costs.enough_share
        for living in livings
        if living.nodes.keys() - component.nodes - models.light  # else it is not cut at all
    )


def _saves(component: Component, livings: list[Living], costs: Costs) -> bool:
    weights = livings[0].weights_of(component.nodes).values()
    if sum(size for size in weights if size >= SMALLEST) >= costs.least_bytes:
        return True
    cheapest = min(livings, key=lambda one: one.total)
    return cheapest.work_of(component.nodes) >= costs.least_work_share * cheapest.total


def _share(component: Component, living: Living) -> float:
    """The share of the model's weights or work that is in the component, whichever is larger."""
    held = sum(living.weights_of(component.nodes).values())
    weights = sum(living.weights_of(living.nodes).values())
    work = living.work_of(component.nodes)
    return max(held / max(1, weights), work / max(1, living.total))


def _loss(component: Component, living: Living, costs: Costs) -> float:
    """The share of the model's time that the cut takes; 0 where its time is not known."""
    if costs.gflops is None or not living.total:
        return 0.0
    cost_ms = costs.cut_ms
    if costs.copy_mb_s is not None:
        crossing = sum(_size(value, living) for value in component.outputs)
        cost_ms += crossing / costs.copy_mb_s / 1000
    return cost_ms / (2 * living.total / costs.gflops / 1e6)


def _size(value: str, living: Living) -> int:
    known = living.dag.values[value]
    return elements(known.shape, living.sizes) * _BYTES.get(known.dtype or "", 1)
