"""Where two models part: the first nodes that differ, and what is different about them. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.digests import of_input
from ipfs_accelerate.graph.explanation import Difference

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ipfs_accelerate.graph.dag import Dag, Node

OTHER_INPUTS = "other inputs"
OTHER_WEIGHTS = "other weights"
OTHER_ATTRIBUTES = "other attributes"
ANOTHER_OPERATOR = "another operator"
NOT_REPEATABLE = "not repeatable"
_MOST_USERS = 100
"""Nodes that are looked at of those which use one value."""


@dataclass(frozen=True)
class _Cause:
    reason: str
    operator: str
    instead: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


def differences(names: tuple[str, str], one: Dag, other: Dag) -> list[Difference]:
    """Why nodes of `one` whose inputs `other` has are not in it, the most frequent first."""
    there = _There(other, {node.digest for node in one.nodes})
    counts: Counter[_Cause] = Counter()
    weights: dict[_Cause, dict[str, None]] = {}
    for node in _first(one, there):
        cause, lacking = there.why(node, one)
        counts[cause] += 1
        weights.setdefault(cause, {}).update(dict.fromkeys(lacking))
    return [
        Difference(
            models=names,
            reason=cause.reason,
            operator=cause.operator,
            count=count,
            instead=cause.instead,
            weights=tuple(weights[cause]),
            inputs=cause.inputs,
        )
        for cause, count in counts.most_common()
    ]


class _There:
    """The other model: what it has, and what uses each of its values."""

    def __init__(self, dag: Dag, shared: Collection[str]) -> None:
        self.dag = dag
        self._shared = shared
        self.nodes = {node.digest for node in dag.nodes}
        self.values = dag.values.keys() | dag.weight_of.keys()
        self._users: dict[str, list[Node]] = {}
        for node in dag.nodes:
            for value in node.uses():
                users = self._users.setdefault(value, [])
                if len(users) < _MOST_USERS:
                    users.append(node)

    def why(self, node: Node, dag: Dag) -> tuple[_Cause, list[str]]:
        """The cause for a node's absence, and the weights that are not there."""
        flowing = [value for value in node.uses() if value not in dag.weight_of]
        if not node.repeatable:
            return _Cause(NOT_REPEATABLE, node.operator), []
        absent = [value for value in flowing if value not in self.values]
        if absent:
            ports = {of_input(one.name, one.dtype): one for one in dag.inputs}
            names = tuple(f"{ports[one].name}: {ports[one].dtype}" for one in absent)
            return _Cause(OTHER_INPUTS, node.operator, inputs=names), []
        rivals = self._rivals(flowing)
        alike = [one for one in rivals if _kind(one) == _kind(node)]
        return _cause(node, dag, rivals, alike)

    def _rivals(self, flowing: list[str]) -> list[Node]:
        """What the other model does with the same values."""
        users = [self._users.get(value, []) for value in flowing]
        if not users:
            return self._still
        every = set.intersection(*({one.digest for one in each} for each in users))
        some = {one.digest: one for each in users for one in each}
        return self._own([some[one] for one in every] or some.values())

    def _own(self, nodes: Iterable[Node]) -> list[Node]:
        return [one for one in nodes if one.digest not in self._shared]

    @cached_property
    def _still(self) -> list[Node]:
        """What is made of weights alone."""
        weights = self.dag.weight_of.keys()
        found = (node for node in self.dag.nodes if weights >= set(node.uses()))
        return self._own(islice(found, _MOST_USERS))


def _cause(node: Node, dag: Dag, rivals: list[Node], alike: list[Node]) -> tuple[_Cause, list[str]]:
    if not alike:
        instead = tuple(sorted({one.operator for one in rivals}))
        return _Cause(ANOTHER_OPERATOR, node.operator, instead), []
    same = [one for one in alike if one.attributes == node.attributes]
    if not same:
        return _Cause(OTHER_ATTRIBUTES, node.operator), []
    for one in same:
        lacking = _other_weights(node, one, dag)
        if lacking is not None:
            return _Cause(OTHER_WEIGHTS, node.operator), lacking
    return _Cause(OTHER_INPUTS, node.operator), []


def _other_weights(node: Node, rival: Node, dag: Dag) -> list[str] | None:
    """The weights in which alone the two differ; None if they differ in more."""
    if len(node.inputs) != len(rival.inputs):
        return None
    differ = [
        mine for mine, theirs in zip(node.inputs, rival.inputs, strict=True) if mine != theirs
    ]
    if not differ or any(one not in dag.weight_of for one in differ):
        return None
    found = [dag.weight_of[one] for one in differ]
    return [f"{one.dtype}{list(one.shape)} {one.content or one.digest}" for one in found]


def _first(dag: Dag, there: _There) -> Iterator[Node]:
    """The nodes that are not there, while every node before them is."""
    for node in dag.nodes:
        absent = node.digest not in there.nodes or not node.repeatable
        if absent and all(
            value in there.values for value in node.uses() if value in dag.producer_of
        ):
            yield node


def _kind(node: Node) -> tuple[str, str, int]:
    return node.domain, node.operator, node.version
