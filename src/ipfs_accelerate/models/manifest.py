"""What a model is: its graph, its weights, its ports and what prepares its inputs. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.cid import cid_of, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_FORMAT = 2

Dimension = int | str | None
"""A fixed size, the name of a free one, or a free one without a name."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block's name and its length in bytes."""

    cid: str
    size: int


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of a graph."""

    name: str
    dtype: str
    """as onnxruntime-web prints it: float32, int64, ..."""
    shape: tuple[Dimension, ...] | None
    """None where the graph does not say even the rank"""


@dataclass(frozen=True, slots=True)
class Weight:
    """A block of external data, and the location under which the graph asks for it."""

    path: str
    cid: str
    size: int


@dataclass(frozen=True)
class Manifest:
    """A model, each of whose parts is a block."""

    name: str
    family: str
    task: str
    graph: Block
    weights: tuple[Weight, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    tokenizer: Block | None
    max_length: int | None
    """tokens after which a text is cut; None where the model takes tensors alone"""
    precision: str
    licence: str
    source: str
    repeatable: bool = True
    """whether equal inputs give equal outputs; False if anything in it is random"""

    @cached_property  # each request asks for it several times, and it hashes the whole manifest
    def key(self) -> str:
        """The CID of this manifest as a block: equal for equal models, whoever built them."""
        return cid_of(self.to_json())

    @property
    def weight_bytes(self) -> int:
        """What the weights outside the graph take."""
        return sum(weight.size for weight in self.weights)

    def blocks(self) -> Iterator[Block]:
        """Every block that the model needs."""
        yield self.graph
        for weight in self.weights:
            yield Block(weight.cid, weight.size)
        if self.tokenizer is not None:
            yield self.tokenizer

    def to_json(self) -> bytes:
        """Write the manifest as JSON, always the same bytes for the same manifest."""
        value = {
            "format": _FORMAT,
            "name": self.name,
            "family": self.family,
            "task": self.task,
            "graph": _block_to_json(self.graph),
            "weights": [[weight.path, weight.cid, weight.size] for weight in self.weights],
            "inputs": [_port_to_json(port) for port in self.inputs],
            "outputs": [_port_to_json(port) for port in self.outputs],
            "tokenizer": _block_to_json(self.tokenizer) if self.tokenizer else None,
            "max_length": self.max_length,
            "precision": self.precision,
            "licence": self.licence,
            "source": self.source,
            "repeatable": self.repeatable,
        }
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Manifest:
        """Read the manifest that `to_json` wrote."""
        try:
            value = json.loads(data)
            if value["format"] != _FORMAT:
                raise _refusal(f"its format is {value['format']!r}, not {_FORMAT}")
            return _from_value(value)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _refusal(repr(error)) from error


def _from_value(value: dict[str, Any]) -> Manifest:
    return Manifest(
        name=_text(value["name"]),
        family=_text(value["family"]),
        task=_text(value["task"]),
        graph=_block(value["graph"]),
        weights=tuple(_weight(weight) for weight in value["weights"]),
        inputs=tuple(_port(port) for port in value["inputs"]),
        outputs=tuple(_port(port) for port in value["outputs"]),
        tokenizer=None if value["tokenizer"] is None else _block(value["tokenizer"]),
        max_length=None if value["max_length"] is None else _count(value["max_length"]),
        precision=_text(value["precision"]),
        licence=_text(value["licence"]),
        source=_text(value["source"]),
        repeatable=value["repeatable"] is True,
    )


def _block_to_json(block: Block) -> list[object]:
    return [block.cid, block.size]


def _port_to_json(port: Port) -> dict[str, object]:
    shape = None if port.shape is None else list(port.shape)
    return {"name": port.name, "dtype": port.dtype, "shape": shape}


def _block(value: Any) -> Block:
    cid, size = value
    digest_of(_text(cid))
    return Block(cid, _count(size))


def _weight(value: Any) -> Weight:
    path, cid, size = value
    digest_of(_text(cid))
    return Weight(_text(path), cid, _count(size))


def _port(value: Any) -> Port:
    shape = value["shape"]
    dimensions = None if shape is None else tuple(_dimension(size) for size in shape)
    return Port(_text(value["name"]), _text(value["dtype"]), dimensions)


def _dimension(value: Any) -> Dimension:
    return value if value is None or isinstance(value, str) else _count(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r} is not a count")
    return value


def _refusal(why: str) -> ModelError:
    return ModelError(
        f"A block was read as a model's manifest, and is none: {why}.",
        code="model_invalid",
        hint="Load the model again by its name or path, so that the manifest is made anew.",
    )
