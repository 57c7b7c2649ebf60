"""How a set of models is cut: the parts, what they take and give, and what a cut costs. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.graph.dag import Shape, Weight


@dataclass(frozen=True, slots=True)
class Costs:
    """What a cut costs, and from when on it is worth that.

    Measured with onnxruntime-web 1.30 in a portable Chromium on 2 cores, on fp32 MiniLM at 128
    tokens: a cut behind the embeddings or the encoder, with 0.2 MB crossing it, cost up to 1.5 ms
    of 70-113 on WASM and up to 1.7 of 49-67 on WebNN through CPU tensors. A session of its own
    holds a few MB, so that less shared than `least_bytes` saves nothing.
    """

    cut_ms: float = 1.5
    """of each request that crosses the cut"""
    copy_mb_s: float | None = None
    """how fast values cross; None where that was not measured, and `cut_ms` stands for it"""
    least_bytes: int = 1 << 20
    """shared weights that make a part worth while"""
    least_work_share: float = 0.1
    """shared work that does, of the cheapest model's"""
    most_loss: float = 0.02
    """of a model's time that a cut may take"""
    enough_share: float = 0.25
    """shared of a model's weights or work: from there on it may take more, as on a fast device"""
    gflops: float | None = None
    """how fast the models run (2 operations each macs); None where that is not known"""


MEASURED = Costs()
"""The costs as they were measured."""


@dataclass(frozen=True, slots=True)
class Source:
    """An input of a part, and where it comes from."""

    name: str
    """in the part's own file"""
    dtype: str
    """what the part takes; int32 for ids that only choose rows, whatever the model's input is"""
    shape: Shape | None
    """with the names of free dimensions that the part's own file has"""
    model_shape: Shape | None
    """the same with the names that this model has for them"""
    input: str | None
    """the model's input that it is; None if an earlier part makes it"""
    part: int | None = None
    """the earlier part's place among the model's parts"""
    output: str | None = None
    """the name of that part's output"""


@dataclass(frozen=True, slots=True)
class Result:
    """An output of a part."""

    name: str
    """in the part's own file"""
    dtype: str
    shape: Shape | None
    """with the names of free dimensions that this model has"""
    outputs: tuple[str, ...] = ()
    """which of the model's outputs it is, if any"""
    digest: str = ""
    """the value's digest; empty in a part that is a whole model"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one model. Equal parts of different models have one digest and one file."""

    digest: str
    """portable: over the values it gives and the inputs it takes"""
    inputs: tuple[Source, ...]
    outputs: tuple[Result, ...]
    nodes: tuple[int, ...]
    """places in this model's `Dag.nodes`, in the order of the part's file"""
    weights: tuple[Weight, ...]
    """as the part's file holds them: one of 4096 bytes or more is a block, and has a cid"""
    macs: int
    """multiply-adds of one run, estimated from shapes"""
    repeatable: bool
    """whether equal inputs give equal outputs"""
    whole: bool = False
    """whether it is the model's own file as it stands; such a part is not extracted"""
    estimated: bool = True
    """that `macs` is an estimate"""

    @property
    def weight_bytes(self) -> int:
        """What its weights take as blocks."""
        return sum(weight.size for weight in self.weights if weight.cid is not None)


@dataclass(frozen=True, slots=True)
class Partition:
    """The parts of each model of a set, in the order in which they run."""

    models: Mapping[str, tuple[Part, ...]]

    def users(self) -> dict[str, tuple[str, ...]]:
        """The models that have each part, by the part's digest."""
        found: dict[str, list[str]] = {}
        for key, parts in self.models.items():
            for digest in dict.fromkeys(part.digest for part in parts):
                found.setdefault(digest, []).append(key)
        return {digest: tuple(keys) for digest, keys in found.items()}
