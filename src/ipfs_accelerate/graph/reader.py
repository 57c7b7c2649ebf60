"""Reads an ONNX model as a Merkle DAG."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx import ModelProto

    from ipfs_accelerate.graph.dag import Dag

Turned = Callable[[str, tuple[int, ...], str], str]
"""Gives the CID of a rank-2 weight's turned content, from its CID, its shape and its dtype. Its
caller keeps the turned bytes as a block where a part asks for them (`Weight.turned_from`)."""


def read_dag(model: ModelProto, turned: Turned | None = None) -> Dag:
    """Read a model as the store keeps it: large weights are external data under their CIDs."""
    raise NotImplementedError
