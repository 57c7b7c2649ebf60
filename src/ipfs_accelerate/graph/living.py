"""The nodes of a model that a cut is about: those that its outputs need. Pure."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.boundaries import Boundaries
from ipfs_accelerate.graph.cheap import cheap
from ipfs_accelerate.graph.work import macs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ipfs_accelerate.graph.dag import Dag, Node


class Living:
    """A model's nodes by digest, as far as its outputs need them."""

    def __init__(self, dag: Dag, sizes: Mapping[str, int] | None) -> None:
        self.dag = dag
        self.sizes = sizes or {}
        self.work = macs(dag, sizes)
        self.ends = frozenset(one.digest for one in dag.outputs)
        self.nodes: dict[str, Node] = {}
        needed = set(self.ends)
        for node in reversed(dag.nodes):
            if not needed.isdisjoint(filter(None, node.outputs)):
                needed.update(node.uses())
                self.nodes[node.digest] = node

    @cached_property
    def safe(self) -> frozenset[str]:
        """The values through which it may be cut."""
        return Boundaries(self.dag).safe

    def types(self, digest: str) -> bool:
        """Whether the dtype of a value is known, so that it can be an input of a part."""
        value = self.dag.values.get(digest)
        return value is None or value.dtype is not None

    @cached_property
    def users(self) -> Mapping[str, list[str]]:
        """The nodes that use each value."""
        found: dict[str, list[str]] = {}
        for node in self.nodes.values():
            for value in node.uses():
                found.setdefault(value, []).append(node.digest)
        return found

    @cached_property
    def total(self) -> int:
        """The work of all of it."""
        return sum(self.work[digest] for digest in self.nodes)

    def work_of(self, nodes: Collection[str]) -> int:
        """The work of these nodes."""
        return sum(self.work[digest] for digest in nodes)

    def weights_of(self, nodes: Collection[str]) -> dict[str, int]:
        """The weights that these nodes use, and their bytes, by digest."""
        weights = self.dag.weight_of
        return {
            used: weights[used].size
            for digest in nodes
            for used in (*self.nodes[digest].uses(), *self.nodes[digest].inner_weights)
            if used in weights
        }


class Together:
    """The models of a set, and which of their nodes are computed again wherever they are needed."""

    def __init__(self, dags: Mapping[str, Dag], sizes: Mapping[str, int] | None) -> None:
        self.living = {key: Living(dag, sizes) for key, dag in dags.items()}

    @cached_property
    def light(self) -> frozenset[str]:
        """The cheap nodes: what is cheap in one model, by its shapes, is taken so in each."""
        return frozenset().union(
            *(cheap(living.dag, living.work) for living in self.living.values())
        )
