"""Lets a model begin with parts that are loaded already, where its own nodes are theirs. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.assembling import Component, assemble
from ipfs_accelerate.graph.prefixes import frontier

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ipfs_accelerate.graph.dag import Shape
    from ipfs_accelerate.graph.living import Living, Together
    from ipfs_accelerate.graph.parts import Part, Source


def reused(key: str, models: Together, loaded: Collection[Part]) -> tuple[Part, ...]:
    """The loaded parts that the model can take, the largest first, each as a part of this model."""
    candidates = {part.digest: part for part in loaded if not part.whole}
    waiting = sorted(candidates.values(), key=lambda one: (-len(one.nodes), one.digest))
    chosen: list[Part] = []
    while waiting:
        # A part that takes what another gives can be taken once that one is.
        found = next(filter(None, (_taken(key, models, one, chosen) for one in waiting)), None)
        if found is None:
            break
        chosen.append(found)
        waiting = [one for one in waiting if one.digest != found.digest]
    return tuple(chosen)


def _taken(key: str, models: Together, part: Part, earlier: Sequence[Part]) -> Part | None:
    """The loaded part as one of this model's; None where it is none."""
    living = models.living[key]
    nodes = _nodes(living, part, earlier)
    if nodes is None:
        return None
    core = frozenset(nodes - models.light)
    outputs = tuple(one.digest for one in part.outputs)
    before = {living.dag.nodes[place].digest for one in earlier for place in one.nodes}
    alone = core and core.isdisjoint(before)
    if not alone or not set(frontier([living], core)).issubset(outputs):
        return None
    own = assemble(key, Component((key,), core, outputs), models, earlier)
    pairs = list(zip(own.inputs, part.inputs, strict=False))
    if len(own.inputs) != len(part.inputs) or not all(_takes(*pair) for pair in pairs):
        return None
    inputs = tuple(replace(mine, shape=theirs.shape) for mine, theirs in pairs)
    return replace(own, digest=part.digest, inputs=inputs)


def _nodes(living: Living, part: Part, earlier: Sequence[Part]) -> set[str] | None:
    """The model's nodes that make what the part gives; None if it makes something else."""
    given = {one.digest for each in earlier for one in each.outputs}
    producers = living.dag.producer_of
    waiting = [one.digest for one in part.outputs]
    found: set[str] = set()
    for value in waiting:
        maker = producers.get(value)
        if value in given or maker is None or maker.digest not in living.nodes:
            return None
    while waiting:
        value = waiting.pop()
        if value in producers and value not in given and producers[value].digest not in found:
            found.add(producers[value].digest)
            waiting += producers[value].uses()
    return found


def _takes(mine: Source, theirs: Source) -> bool:
    """Whether the loaded part's input takes what this model gives it."""
    same = (mine.name, mine.dtype) == (theirs.name, theirs.dtype)
    return same and _fits(mine.shape, theirs.shape)


def _fits(shape: Shape | None, wanted: Shape | None) -> bool:
    if shape is None or wanted is None:
        return wanted is None
    return len(shape) == len(wanted) and all(
        isinstance(size, str) or size == one for one, size in zip(shape, wanted, strict=True)
    )
