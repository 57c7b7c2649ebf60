"""Cuts a set of models so that what they share is loaded and computed once. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.graph.assembling import Component, assemble, whole
from ipfs_accelerate.graph.living import Living, Together
from ipfs_accelerate.graph.loaded import reused
from ipfs_accelerate.graph.parts import MEASURED, Costs, Part, Partition
from ipfs_accelerate.graph.prefixes import frontier, owners, prefix
from ipfs_accelerate.graph.worth import pays

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ipfs_accelerate.graph.dag import Dag
    from ipfs_accelerate.graph.prefixes import Group


def partition(
    dags: Mapping[str, Dag],
    costs: Costs = MEASURED,
    fixed: Collection[Part] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Partition:
    """Cut the models of a set where what they share is worth it.

    `fixed` are parts that are loaded already: a model is then cut only where that lets it begin
    with such parts, so that nothing loaded has to change. `sizes` sets free dimensions by name
    for estimates of work.
    """
    models = Together({key: dag for key, dag in dags.items() if dag.whole is None}, sizes)
    cut = _Cut(models, costs)
    if fixed is None:
        cut.share()
    return Partition({key: _parts(key, dags[key], cut, fixed, sizes) for key in dags})


def _parts(
    key: str,
    dag: Dag,
    cut: _Cut,
    fixed: Collection[Part] | None,
    sizes: Mapping[str, int] | None,
) -> tuple[Part, ...]:
    if dag.whole is not None:
        return (whole(Living(dag, sizes)),)
    return cut.parts(key, reused(key, cut.models, fixed or ()))


class _Cut:
    """The shared parts that were found worth it so far."""

    def __init__(self, models: Together, costs: Costs) -> None:
        self.models = models
        self._costs = costs
        self._prefixes: dict[Group, frozenset[str]] = {}
        self._components: list[Component] = []

    def share(self) -> None:
        """Look at every set of models that have nodes in common, the largest set first."""
        found = owners(self.models.living, self.models.light)
        groups = {group for group in found.values() if len(group) > 1}
        for group in sorted(groups, key=lambda one: (-len(one), sorted(one))):
            self._take(group, [digest for digest, keys in found.items() if keys >= group])

    def parts(self, key: str, loaded: Sequence[Part]) -> tuple[Part, ...]:
        """The model's parts: those it begins with, and what is left."""
        parts = list(loaded)
        for component in self._components:
            if key in component.models:
                parts.append(assemble(key, component, self.models, parts))
        rest = self._rest(key, parts)
        if rest.outputs:
            parts.append(assemble(key, rest, self.models, parts))
        return tuple(parts)

    def _take(self, group: Group, common: Iterable[str]) -> None:
        livings = [self.models.living[key] for key in sorted(group)]
        safe = frozenset[str]().union(*(one.safe for one in livings))
        typed = {value for value in safe if all(one.types(value) for one in livings)}
        kept = frozenset(prefix(livings, common, typed))
        nodes = kept.difference(*(one for keys, one in self._prefixes.items() if keys > group))
        if not nodes or self._in_the_way(group, nodes):
            return
        component = Component(tuple(sorted(group)), nodes, tuple(frontier(livings, nodes)))
        if pays(component, self.models, self._costs):
            self._prefixes[group] = kept
            self._components.append(component)

    def _in_the_way(self, group: Group, nodes: frozenset[str]) -> bool:
        """Whether a part of another set has some of the nodes: a model of both had them twice."""
        return any(
            keys & group and not keys > group and not nodes.isdisjoint(other)
            for keys, other in self._prefixes.items()
        )

    def _rest(self, key: str, parts: Sequence[Part]) -> Component:
        living = self.models.living[key]
        taken = {living.dag.nodes[place].digest for part in parts for place in part.nodes}
        given = {one.digest for part in parts for one in part.outputs}
        nodes = frozenset(living.nodes.keys() - taken - self.models.light)
        return Component((key,), nodes, tuple(sorted(living.ends - given)))
