"""Which version of an operator a model means, and what it takes where an attribute is absent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from onnx import defs

from ipfs_accelerate.graph.refusal import invalid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from onnx import OperatorSetIdProto

_NEWEST_SETTLED = 21
"""To which opset a part is raised at most, so that a newer onnx does not change its bytes."""
_OLDEST_RUN = 7


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator as one opset has it."""

    domain: str
    version: int
    """the opset in which it came to be as it is; the import's own where nobody wrote it down"""
    known: bool
    defaults: Mapping[str, bytes]
    """attributes that may be left out, serialised, by name"""


def domain_of(name: str) -> str:
    """Give ONNX's own domain its one name."""
    return "" if name == "ai.onnx" else name


class Imports:
    """The opsets that a model is written in."""

    def __init__(self, opsets: Iterable[OperatorSetIdProto]) -> None:
        self._versions = {domain_of(one.domain): one.version for one in opsets}

    def operator(self, name: str, domain: str) -> Operator:
        """Find an operator as this model means it."""
        domain = domain_of(domain)
        if domain not in self._versions:
            raise invalid(f"its operator {name!r} is of {domain or 'ai.onnx'!r}, not imported")
        return _operator(name, domain, self._versions[domain])


@lru_cache(maxsize=4096)
def _operator(name: str, domain: str, version: int) -> Operator:
    try:
        schema = defs.get_schema(name, version, domain)
    except Exception:  # noqa: BLE001 - onnx's own class, and TypeError for a version past 2**31
        return Operator(domain, version, known=False, defaults={})
    defaults = {
        key: one.default_value.SerializeToString(deterministic=True)
        for key, one in schema.attributes.items()
        if one.default_value.type
    }
    return Operator(domain, schema.since_version, known=True, defaults=defaults)


def opsets(operators: Iterable[tuple[str, str, int]]) -> dict[str, int]:
    """The opset of each domain in which every (domain, operator, version) means the same.

    The newest such of those that are settled: it depends on the operators alone, so that equal
    parts of models of different opsets are written alike.
    """
    found: dict[str, set[tuple[str, int]]] = {"": set()}
    for domain, name, version in operators:
        found.setdefault(domain, set()).add((name, version))
    return {domain: _opset(domain, members) for domain, members in sorted(found.items())}


def _opset(domain: str, members: set[tuple[str, int]]) -> int:
    least = max((version for _, version in members), default=_OLDEST_RUN)
    if domain:
        return least
    for version in range(_NEWEST_SETTLED, least, -1):
        if all(_means(name, domain, version) == since for name, since in members):
            return version
    return least


def _means(name: str, domain: str, version: int) -> int:
    return _operator(name, domain, version).version
