"""How a model is laid out as components, each a file of its own that an engine loads once. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ipfs_accelerate.graph import Part
    from ipfs_accelerate.models.manifest import Block, Dimension, Manifest, Weight
    from ipfs_accelerate.protocol.messages import Lent


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a model's graph, or all of it, as blocks. Equal ones of two models are one."""

    graph: Block
    weights: tuple[Weight, ...]
    macs: int = 0
    """multiply-adds of one run, estimated; 0 where nobody asked"""
    repeatable: bool = True
    digest: str = ""
    """of the part of a graph that it is; empty where it is a model's own file"""
    lent: tuple[Lent, ...] = ()

    @property
    def key(self) -> str:
        """Its name everywhere: the CID of its graph, which names each weight by CID too."""
        return self.graph.cid

    @property
    def weight_bytes(self) -> int:
        """What the weights outside the graph take, those included that are lent to it."""
        lent = {one.cid: one.size for one in self.lent}
        return sum(weight.size for weight in self.weights) + sum(lent.values())


@dataclass(frozen=True, slots=True)
class Take:
    """An input of a component: what the caller gives, or what an earlier stage puts out."""

    name: str
    """as the component's own graph has it"""
    dtype: str
    """what the component takes; int32 where a model's int64 input only chooses rows"""
    shape: tuple[Dimension, ...] | None
    """with the names that the component's graph has for free dimensions"""
    model_shape: tuple[Dimension, ...] | None
    """the same, with the model's own names"""
    source: str | tuple[int, str]
    """an input of the model, or a stage and the name of its output"""


@dataclass(frozen=True, slots=True)
class Stage:
    """One component on a model's way, and where its inputs come from."""

    component: Component
    takes: tuple[Take, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A model's way over components, in the order in which they run."""

    stages: tuple[Stage, ...]
    outputs: Mapping[str, tuple[int, str]]
    """the stage, and its output, that each of the model's outputs is"""
    parts: tuple[Part, ...] = field(default=(), compare=False)
    """the parts of the model's graph that the components are; none where it is its own file"""

    @property
    def is_whole(self) -> bool:
        """Whether the model is one component."""
        return len(self.stages) == 1

    @property
    def is_file(self) -> bool:
        """Whether that component is the model's own file, under its own names."""
        return self.is_whole and not self.stages[0].component.digest

    @property
    def keys(self) -> tuple[str, ...]:
        """The components' keys."""
        return tuple(stage.component.key for stage in self.stages)

    def sizes(self, number: int, dimensions: Mapping[str, int]) -> dict[str, int] | None:
        """The free dimensions of a stage's graph by its own names, given the model's.

        None where one of them can't be known before it runs.
        """
        if self.is_file:
            return dict(dimensions)
        sizes: dict[str, int] = {}
        for name, size in self._pairs(number):
            known = dimensions.get(size) if isinstance(size, str) else size
            if known is None:
                return None
            sizes[name] = known
        return sizes

    def _pairs(self, number: int) -> Iterator[tuple[str, Dimension]]:
        for take in self.stages[number].takes:
            if take.shape is None or take.model_shape is None:
                continue
            for own, size in zip(take.shape, take.model_shape, strict=True):
                if isinstance(own, str):
                    yield own, size


def components_of(layouts: Iterable[Layout]) -> dict[str, Component]:
    """Every component of these, once."""
    return {one.component.key: one.component for layout in layouts for one in layout.stages}


def held_bytes(components: Iterable[Component]) -> int:
    """The bytes of weights that an engine holds for these components; what is lent counts once."""
    own, lent = 0, dict[str, int]()
    for component in components:
        own += sum(weight.size for weight in component.weights)
        lent |= {one.cid: one.size for one in component.lent}
    return own + sum(lent.values())


def whole(manifest: Manifest, *, macs: int = 0) -> Layout:
    """The model as the one component that its file is."""
    component = Component(manifest.graph, manifest.weights, macs, manifest.repeatable)
    takes = tuple(
        Take(port.name, port.dtype, port.shape, port.shape, port.name) for port in manifest.inputs
    )
    outputs = {port.name: (0, port.name) for port in manifest.outputs}
    return Layout((Stage(component, takes),), outputs)
