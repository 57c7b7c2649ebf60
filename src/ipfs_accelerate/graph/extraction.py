"""Takes a part out of its model, as an ONNX file with the same bytes whichever model it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx import ModelProto

    from ipfs_accelerate.graph.dag import Dag
    from ipfs_accelerate.graph.parts import Part


def extract(model: ModelProto, dag: Dag, part: Part) -> ModelProto:
    """Make the part's own file; a part that is a whole model is the model's own file."""
    raise NotImplementedError


def inner_blocks(model: ModelProto, dag: Dag, part: Part) -> Iterator[tuple[str, bytes]]:
    """Yield (CID, bytes) of what the part's file has as blocks and the model keeps inside."""
    raise NotImplementedError
