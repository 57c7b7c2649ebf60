"""The names that the values of a base and of a head have in one graph, none of them twice.

The head's outputs and the inputs that are its own keep their names, since its user knows them,
and so do the base's inputs. What is inside the base makes way where it must, and whatever is
inside the head gets a prefix.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.graph_names import rename, values_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from onnx import GraphProto

    from ipfs_accelerate.models.head_inputs import Head, Values


class Names:
    """New names for both, from which base value each of the head's inputs takes."""

    def __init__(self, head: GraphProto, base: GraphProto, taken: Mapping[str, str]) -> None:
        held = values_in(base)
        made = {name for node in head.node for name in node.output}
        weights = {tensor.name for tensor in head.initializer}
        weights.update(sparse.values.name for sparse in head.sparse_initializer)
        outputs = {value.name for value in head.output}
        own = {value.name for value in head.input} - weights - taken.keys()
        self.echoed = {name for name in outputs - made if taken.get(name) == name}
        """the head's outputs that are values of the base, which it hands on as they are"""
        self.known = (outputs - self.echoed) | own
        """what the head's user calls by its name"""
        self._moved = _out_of_the_way(held, self.known)
        self._taken = {name: self._moved.get(value, value) for name, value in taken.items()}
        self._kept = (outputs & made) | own
        self._prefix = _prefix("head", held | self.known)

    def of_base(self, name: str) -> str:
        """The name of a base's value."""
        return self._moved.get(name, name)

    def of_head(self, name: str) -> str:
        """The name of a head's value."""
        if name in self._taken:
            return self._taken[name]
        return name if name in self._kept else f"{self._prefix}{name}"

    def give(self, head: GraphProto, base: GraphProto) -> None:
        """Rename the values of both, and the head's nodes."""
        rename(base, self.of_base)
        rename(head, self.of_head)
        for node in head.node:
            node.name = node.name and f"{self._prefix}{node.name}"


def check(names: Names, head: Head, base: Values) -> None:
    """Refuse a head that gives its output the name of what the base is given."""
    for name in base.inputs.keys() & names.known:
        raise ModelError(
            f"The head {head.path} gives {name!r}, and its base {base.name} takes an input of "
            "that name.",
            hint="Rename the head's output.",
            details={"path": str(head.path), "output": name},
        )


def _out_of_the_way(held: set[str], wanted: Iterable[str]) -> dict[str, str]:
    prefix = _prefix("base", held.union(wanted))
    return {name: f"{prefix}{name}" for name in wanted if name in held}


def _prefix(word: str, names: set[str]) -> str:
    """A beginning that no name has."""
    prefixes = (f"{word}{number or ''}/" for number in count())
    return next(one for one in prefixes if not any(name.startswith(one) for name in names))
