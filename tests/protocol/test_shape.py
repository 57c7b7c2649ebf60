# No `from __future__ import annotations` here: the readers are made from the fields' types.

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from ipfs_accelerate.protocol.shape import AtLeast, Misfit, reader, writer


@dataclass(frozen=True, slots=True)
class Leaf:
    name: str


@dataclass(frozen=True, slots=True)
class Pair:
    left: Annotated[int, AtLeast(0)]
    right: bool


@dataclass(frozen=True, slots=True)
class Tree:
    count: Annotated[int, AtLeast(1)]
    kind: Literal["oak", "elm"]
    leaves: tuple[Leaf, ...]
    notes: tuple[str, ...]
    either: Mapping[str, Leaf | Pair]
    anything: Mapping[str, Any]
    as_: Leaf
    weight: Annotated[float, AtLeast(0)] | None = None
    root: Leaf | None = None


WHOLE = {
    "count": 2,
    "kind": "oak",
    "leaves": [{"name": "a"}],
    "notes": ["x"],
    "either": {"one": {"name": "b"}, "two": {"left": 0, "right": True}},
    "anything": {"z": [1, {}]},
    "as": {"name": "c"},
    "weight": 1.5,
    "root": {"name": "d"},
}
READ = Tree(
    2,
    "oak",
    (Leaf("a"),),
    ("x",),
    {"one": Leaf("b"), "two": Pair(0, right=True)},
    {"z": [1, {}]},
    Leaf("c"),
    1.5,
    Leaf("d"),
)


def test_every_kind_of_field_is_read_and_written():
    assert reader(Tree)(WHOLE) == READ
    assert writer(Tree)(READ) == WHOLE


def test_what_is_optional_may_be_absent():
    least = {key: value for key, value in WHOLE.items() if key not in {"weight", "root"}}
    assert writer(Tree)(reader(Tree)(least)) == least


def test_a_whole_float_is_an_integer():
    assert reader(Tree)(WHOLE | {"count": 3.0}).count == 3


@pytest.mark.parametrize(
    ("change", "path", "reason"),
    [
        ({"count": 0}, "count", "is not an integer from 1"),
        ({"count": 1.5}, "count", "is not an integer from 1"),
        ({"count": True}, "count", "is not an integer from 1"),
        ({"count": 2**53}, "count", "is not an integer from 1"),
        ({"weight": -1}, "weight", "is not a number from 0"),
        ({"weight": None}, "weight", "is not a number from 0"),
        ({"kind": "ash"}, "kind", "is none of oak, elm"),
        ({"kind": ["oak"]}, "kind", "is none of oak, elm"),
        ({"leaves": {}}, "leaves", "is not an array"),
        ({"leaves": [{"name": "a"}, 1]}, "leaves.1", "is not an object"),
        ({"leaves": [{"name": 1}]}, "leaves.0.name", "is not text"),
        ({"either": []}, "either", "is not an object"),
        ({"either": {"a": {}}}, "either.a", "is none of Leaf, Pair"),
        ({"either": {"a": {"left": 0, "right": 1}}}, "either.a.right", "is not true or false"),
        ({"anything": 1}, "anything", "is not an object"),
        ({"extra": 1}, "extra", "is unknown"),
        ({"as_": {"name": "c"}}, "as_", "is unknown"),
    ],
)
def test_a_misfit_names_its_path(change, path, reason):
    with pytest.raises(Misfit) as caught:
        reader(Tree)(WHOLE | change)
    assert ".".join(caught.value.path) == path
    assert caught.value.reason.startswith(reason)


@pytest.mark.parametrize("key", ["count", "kind", "leaves", "either", "as"])
def test_what_is_needed_is_missed(key):
    with pytest.raises(Misfit) as caught:
        reader(Tree)({name: value for name, value in WHOLE.items() if name != key})
    assert (caught.value.path, caught.value.reason) == ((key,), "is missing")


def test_only_an_object_is_read():
    with pytest.raises(Misfit, match="is not an object"):
        reader(Tree)([])
