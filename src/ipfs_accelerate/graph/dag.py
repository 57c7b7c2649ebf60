"""A model as a Merkle DAG: nodes and values under digests that leave every name out. Pure.

Equal digests mean equal values, given graph inputs that are equal by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Dimension = int | str | None
"""A fixed size, the name of a free one, or a free one without a name."""

Shape = tuple[Dimension, ...]

SMALLEST = 4096
"""Bytes from which a weight is a block of its own, as in `models.external`."""


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output: of a model, or of a part of one."""

    name: str
    dtype: str
    """as the manifest writes it: float32, int64, ..."""
    shape: Shape | None
    """None where not even the rank is known"""


@dataclass(frozen=True, slots=True)
class Output:
    """An output that a model declares, and the value that it is."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of a value before anything runs."""

    dtype: str | None
    shape: Shape | None


@dataclass(frozen=True, slots=True)
class Weight:
    """A distinct constant tensor."""

    digest: str
    """over dtype, shape and content"""
    canonical: str | None
    """the smaller of its own digest and its turned content's; None where that takes its bytes"""
    content: str
    """the CID of its raw bytes, wherever they lie; empty for strings, which have none"""
    size: int
    dtype: str
    shape: tuple[int, ...]
    cid: str | None
    """the block it lies in; None inside the graph"""
    turned_from: str | None = None
    """the block whose Transpose it is, where the model holds it only so"""


@dataclass(frozen=True, slots=True)
class Node:
    """A node; those of a model that are equal are one."""

    index: int
    """its place among the nodes of the model's graph (its functions written out)"""
    digest: str
    operator: str
    domain: str
    version: int
    """the opset in which the operator came to be as it is"""
    attributes: str
    """the digest of its attributes"""
    inputs: tuple[str, ...]
    """the values it takes, by digest; empty where an optional one is absent"""
    outputs: tuple[str, ...]
    """the values it makes, by digest; empty where one is not asked for"""
    captured: tuple[str, ...] = ()
    """what the graphs inside it use of the graph outside, name by name"""
    inner_weights: tuple[str, ...] = ()
    """the external weights of the graphs inside it"""
    inner_operators: tuple[tuple[str, str, int], ...] = ()
    """domain, operator and version of each node of the graphs inside it"""
    repeatable: bool = True
    """False if it or anything before it is random"""

    def uses(self) -> tuple[str, ...]:
        """Every value that must be there before it runs."""
        return tuple(dict.fromkeys(one for one in (*self.inputs, *self.captured) if one))


@dataclass(frozen=True)
class Dag:
    """A model's nodes, values, weights and ports."""

    nodes: tuple[Node, ...]
    """in an order in which they can run"""
    values: Mapping[str, Value]
    """what nodes make and graph inputs are, by digest"""
    weights: tuple[Weight, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Output, ...]
    whole: str | None = None
    """why the model can't be cut; None where it can"""

    @cached_property
    def repeatable(self) -> bool:
        """Whether equal inputs give equal outputs: False if anything in it is random."""
        return all(node.repeatable for node in self.nodes)

    @cached_property
    def weight_of(self) -> Mapping[str, Weight]:
        """The weights by digest."""
        return {weight.digest: weight for weight in self.weights}

    @cached_property
    def producer_of(self) -> Mapping[str, Node]:
        """The node that makes each value, by the value's digest."""
        return {value: node for node in self.nodes for value in node.outputs if value}

    def to_json(self) -> bytes:
        """Write it as JSON, always the same bytes for the same DAG."""
        from ipfs_accelerate.graph import dag_json  # noqa: PLC0415 - it reads into this module

        return dag_json.dump(self)

    @classmethod
    def from_json(cls, data: bytes) -> Dag:
        """Read the DAG that `to_json` wrote; anything else is a ModelError."""
        from ipfs_accelerate.graph import dag_json  # noqa: PLC0415 - it reads into this module

        return dag_json.load(data)
