"""Two graphs of different opsets as nodes of one model.

The base's nodes are never rewritten, since it is by being the same that they are found to be
shared. So the head is brought to the base's opset; or the base's number is raised, where that
changes no operator's meaning.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from onnx import defs, version_converter

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.graph_names import nested

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from onnx import GraphProto, ModelProto

_ONNX = ("", "ai.onnx")
_ALIKE = {
    **dict.fromkeys(["Add", "Sub", "Mul", "Div", "Gemm"], 7),
    **dict.fromkeys(["Relu", "Sigmoid", "Tanh", "Sqrt", "Exp", "Log", "Neg", "Abs"], 6),
    **dict.fromkeys(["Identity", "Transpose", "MatMul", "Conv", "GlobalAveragePool", "Flatten"], 1),
    "Concat": 4,
    "Reshape": 5,
    "Erf": 9,
}
"""The version from which each of these means the same: later ones only take more. The engine
refuses a node that asks for what its version does not have yet."""
_NEVER = 1 << 30


def align(base: ModelProto, head: ModelProto, path: Path) -> ModelProto:
    """Give the head such that its nodes mean under the base's opsets what they mean under its own.

    The base's opsets may be added to, or raised where its own nodes stay the same.
    """
    for domain, wanted in opsets_of(head).items():
        held = opsets_of(base).get(domain)
        if held is None:
            base.opset_import.add(domain=domain, version=wanted)
        elif held != wanted:
            head = _meet(base, head, domain, path)
    return head


def opsets_of(model: ModelProto) -> dict[str, int]:
    """The version of each domain, by its one spelling."""
    return {_spelt(opset.domain): opset.version for opset in model.opset_import}


def _meet(base: ModelProto, head: ModelProto, domain: str, path: Path) -> ModelProto:
    held, wanted = opsets_of(base)[domain], opsets_of(head)[domain]
    if _unchanged(nested(head.graph), domain, wanted, held, _ALIKE):
        return head
    if held < wanted and _unchanged(nested(base.graph), domain, held, wanted):
        _raise(base, domain, wanted)
        return head
    if domain:
        raise _apart(path, domain, wanted, held, "an operator changed in between")
    return _converted(head, wanted, held, path)


def _unchanged(
    graphs: Iterable[GraphProto],
    domain: str,
    old: int,
    new: int,
    alike: Mapping[str, int] = MappingProxyType({}),
) -> bool:
    """Whether every operator of the domain is the same one in both versions, or as good as that."""
    operators = {
        node.op_type for graph in graphs for node in graph.node if _spelt(node.domain) == domain
    }
    least = {} if domain else alike
    return all(
        _since(operator, domain, old) == _since(operator, domain, new) is not None
        or min(old, new) >= least.get(operator, _NEVER)
        for operator in operators
    )


def _since(operator: str, domain: str, version: int) -> int | None:
    """The version that brought the operator as it is in `version`; None where there is none."""
    try:
        schema = defs.get_schema(operator, version, domain)
    except defs.SchemaError:
        return None
    return None if schema.deprecated else schema.since_version


def _raise(base: ModelProto, domain: str, version: int) -> None:
    for opset in base.opset_import:
        if _spelt(opset.domain) == domain:
            opset.version = version


def _converted(head: ModelProto, old: int, new: int, path: Path) -> ModelProto:
    _, *inner = nested(head.graph)
    if not _unchanged(inner, "", old, new):
        # onnx's converter leaves the nodes of branches and loops as they are, and says nothing.
        raise _apart(path, "", old, new, "a branch or loop of it can't be converted")
    try:
        return version_converter.convert_version(head, new)
    except Exception as error:  # whatever onnx raises for an operator that it can't convert
        # What onnx says begins with the place in its own source.
        raise _apart(path, "", old, new, str(error).rpartition(": ")[2].strip()) from error


def _spelt(domain: str) -> str:
    return "" if domain in _ONNX else domain


def _apart(path: Path, domain: str, old: int, new: int, why: str) -> ModelError:
    named = f"opset {old}" + (f" of {domain}" if domain else "")
    return ModelError(
        f"The head {path} is of {named}, its base of {new}, and the head can't be brought "
        f"to that: {why}.",
        hint=f"Export the head with opset {new}.",
        details={"path": str(path), "domain": domain, "opset": old, "base": new},
    )
