"""Which operators give another value each time. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx import NodeProto

_RANDOM = frozenset({"Multinomial", "Bernoulli", "Sampling", "BeamSearch", "BiasDropout"})
_TESTING = 7
"""The opset from which on a Dropout has no attribute that says whether it is being trained."""


def by_chance(node: NodeProto, version: int, *, training: bool) -> bool:
    """Whether a node is random; `training` says whether a Dropout's third input may be true."""
    if node.op_type == "Dropout":
        tested = any(one.name == "is_test" and one.i for one in node.attribute)
        return training or (version < _TESTING and not tested)
    return node.op_type.startswith("Random") or node.op_type in _RANDOM
