"""Lets a head take ids and masks in another width of integer than its base has them in.

Exporters write int64 wherever a framework has it; a base of ours takes int32, which is all that a
GPU computes with. A Cast in front of the head's own nodes changes no number of either.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from onnx import helper

from ipfs_accelerate.models.graph_names import rename, values_in
from ipfs_accelerate.tensors.dtypes import by_onnx

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx import GraphProto

    from ipfs_accelerate.models.manifest import Port

WIDTHS = frozenset({"int32", "int64"})


def only_widths(one: str, other: str) -> bool:
    """Whether two dtypes differ only in how wide an integer is."""
    return {one, other} == WIDTHS


def cast(head: GraphProto, given: Mapping[str, Port]) -> None:
    """Cast each input of the head that it is given, by its name, in another width."""
    for value in list(head.input):
        port = given.get(value.name)
        wanted = value.type.tensor_type.elem_type
        if port is None or by_onnx(port.dtype).number == wanted:
            continue
        outside, inside = value.name, _fresh(value.name, values_in(head))
        rename(head, partial(_instead, outside, inside))
        value.name = outside
        value.type.tensor_type.elem_type = by_onnx(port.dtype).number
        head.node.insert(0, helper.make_node("Cast", [outside], [inside], to=wanted))


def _instead(old: str, new: str, name: str) -> str:
    return new if name == old else name


def _fresh(name: str, taken: set[str]) -> str:
    wide = f"{name}:cast"
    while wide in taken:
        wide += "'"
    return wide
