"""Builds the ONNX graph of a BERT sentence encoder from its configuration and its weights.

The graph takes token ids and ends in masked mean pooling and an L2 norm, so that one run gives
the sentence's vector. The same files give the same bytes, and so the same CID, every time.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx import TensorProto, helper

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.builds import BUILDER
from ipfs_accelerate.models.external import distinct
from ipfs_accelerate.models.manifest import Block, Port, Weight
from ipfs_accelerate.models.nodes import Nodes
from ipfs_accelerate.models.safetensors_file import SafetensorsFile

if TYPE_CHECKING:
    from pathlib import Path

    from ipfs_accelerate.models.blocks import BlockStore

OPSET = 21
IR = 10
# Far below any score, so its exponential is 0 in float32, and still within float16.
_MASKED = -10000.0
_EMBEDDINGS = "embeddings"

# 32 bits are enough for ids, and all that WebGPU computes with.
_INPUTS = tuple(
    Port(name, "int32", ("batch", "sequence"))
    for name in ("input_ids", "attention_mask", "token_type_ids")
)
_OUTPUT = "text_embedding"


@dataclass(frozen=True, slots=True)
class Config:
    """What the graph needs of a BERT's config.json."""

    hidden: int
    heads: int
    layers: int
    epsilon: float
    activation: str

    @property
    def head_size(self) -> int:
        """The width of one attention head."""
        return self.hidden // self.heads


@dataclass(frozen=True, slots=True)
class Built:
    """A graph as a block, its weights, and its ports."""

    graph: Block
    weights: tuple[Weight, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


def build(config_path: Path, weights_path: Path, store: BlockStore) -> Built:
    """Build the encoder; weights of 4 KiB and more become blocks, read one at a time."""
    config = read_config(config_path)
    with SafetensorsFile(weights_path) as source:
        nodes = Nodes(source, store)
        _encoder(nodes, config)
        model = _model(nodes, config)
        graph = store.put(model.SerializeToString(deterministic=True))
        output = Port(_OUTPUT, "float32", ("batch", config.hidden))
        return Built(graph, distinct(nodes.weights), _INPUTS, (output,))


def read_config(path: Path) -> Config:
    """Read config.json; a model of another kind is refused."""
    try:
        value: dict[str, Any] = json.loads(path.read_bytes())
        kind = value["model_type"], value.get("position_embedding_type", "absolute")
        config = Config(
            hidden=int(value["hidden_size"]),
            heads=int(value["num_attention_heads"]),
            layers=int(value["num_hidden_layers"]),
            epsilon=float(value["layer_norm_eps"]),
            activation=str(value["hidden_act"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _refusal(path, repr(error)) from error
    if kind != ("bert", "absolute"):
        raise _refusal(path, f"it describes a {kind[0]!r} model with {kind[1]!r} positions")
    if config.activation not in ("gelu", "relu"):
        raise _refusal(path, f"its activation is {config.activation!r}")
    if config.heads < 1 or config.hidden % config.heads:
        raise _refusal(path, f"{config.hidden} columns do not divide into {config.heads} heads")
    return config


def _encoder(nodes: Nodes, config: Config) -> None:
    mask = nodes.add("Cast", "attention_mask", name="mask", to=TensorProto.FLOAT)
    bias = _attention_bias(nodes, mask)
    hidden = _embed(nodes, config)
    for number in range(config.layers):
        layer = f"encoder.layer.{number}"
        hidden = _attend(nodes, config, hidden, bias, f"{layer}.attention")
        hidden = _feed_forward(nodes, config, hidden, layer)
    _pool(nodes, hidden, mask)


def _attention_bias(nodes: Nodes, mask: str) -> str:
    """0 for a token, and far below any score for padding, as [batch, 1, 1, sequence]."""
    wide = nodes.add("Unsqueeze", mask, nodes.ints("mask.axes", [1, 2]), name="mask.wide")
    absent = nodes.add("Sub", nodes.scalar("one", 1.0), wide, name="mask.absent")
    return nodes.add("Mul", absent, nodes.scalar("masked", _MASKED), name="mask.bias")


def _embed(nodes: Nodes, config: Config) -> str:
    words = _look_up(nodes, "word_embeddings", "input_ids")
    types = _look_up(nodes, "token_type_embeddings", "token_type_ids")
    positions = _look_up(nodes, "position_embeddings", _positions(nodes))
    typed = nodes.add("Add", words, types, name=f"{_EMBEDDINGS}.typed")
    placed = nodes.add("Add", typed, positions, name=f"{_EMBEDDINGS}.placed")
    return _layer_norm(nodes, config, placed, f"{_EMBEDDINGS}.LayerNorm")


def _positions(nodes: Nodes) -> str:
    """0, 1, 2, ... in each row. Counted, since the length is known to the CPU alone on a GPU."""
    same = nodes.add("Equal", "input_ids", "input_ids", name="positions.same")
    ones = nodes.add("Cast", same, name="positions.ones", to=TensorProto.INT32)
    return nodes.add(
        "CumSum", ones, nodes.index("positions.axis", 1), name="positions", exclusive=1
    )


def _look_up(nodes: Nodes, table: str, ids: str) -> str:
    weight = nodes.weight(f"{_EMBEDDINGS}.{table}.weight")
    return nodes.add("Gather", weight, ids, name=f"{_EMBEDDINGS}.{table}")


def _attend(nodes: Nodes, config: Config, hidden: str, bias: str, name: str) -> str:
    query = _heads(nodes, config, hidden, f"{name}.self.query", [0, 2, 1, 3])
    key = _heads(nodes, config, hidden, f"{name}.self.key", [0, 2, 3, 1])
    value = _heads(nodes, config, hidden, f"{name}.self.value", [0, 2, 1, 3])
    raw = nodes.add("MatMul", query, key, name=f"{name}.scores")
    scale = nodes.scalar("scale", 1 / math.sqrt(config.head_size))
    scaled = nodes.add("Mul", raw, scale, name=f"{name}.scaled")
    biased = nodes.add("Add", scaled, bias, name=f"{name}.biased")
    shares = nodes.add("Softmax", biased, name=f"{name}.shares", axis=-1)
    mixed = nodes.add("MatMul", shares, value, name=f"{name}.mixed")
    turned = nodes.add("Transpose", mixed, name=f"{name}.turned", perm=[0, 2, 1, 3])
    shape = nodes.ints("hidden.shape", [0, 0, config.hidden])
    joined = nodes.add("Reshape", turned, shape, name=f"{name}.joined")
    return _project(nodes, config, joined, hidden, f"{name}.output")


def _heads(nodes: Nodes, config: Config, hidden: str, name: str, order: list[int]) -> str:
    flat = _dense(nodes, hidden, name)
    shape = nodes.ints("heads.shape", [0, 0, config.heads, config.head_size])
    split = nodes.add("Reshape", flat, shape, name=f"{name}.split")
    return nodes.add("Transpose", split, name=f"{name}.heads", perm=order)


def _feed_forward(nodes: Nodes, config: Config, hidden: str, layer: str) -> str:
    name = f"{layer}.intermediate"
    wide = _dense(nodes, hidden, f"{name}.dense")
    operator = {"gelu": "Gelu", "relu": "Relu"}[config.activation]
    active = nodes.add(operator, wide, name=f"{name}.active")
    return _project(nodes, config, active, hidden, f"{layer}.output")


def _project(nodes: Nodes, config: Config, inner: str, residual: str, name: str) -> str:
    dense = _dense(nodes, inner, f"{name}.dense")
    added = nodes.add("Add", dense, residual, name=f"{name}.added")
    return _layer_norm(nodes, config, added, f"{name}.LayerNorm")


def _dense(nodes: Nodes, hidden: str, name: str) -> str:
    product = nodes.add("MatMul", hidden, nodes.turned(f"{name}.weight"), name=f"{name}.product")
    return nodes.add("Add", product, nodes.weight(f"{name}.bias"), name=name)


def _layer_norm(nodes: Nodes, config: Config, hidden: str, name: str) -> str:
    scale, shift = nodes.weight(f"{name}.weight"), nodes.weight(f"{name}.bias")
    return nodes.add(
        "LayerNormalization", hidden, scale, shift, name=name, axis=-1, epsilon=config.epsilon
    )


def _pool(nodes: Nodes, hidden: str, mask: str) -> None:
    """Take the mean over the tokens that are there, at length 1."""
    row = nodes.add("Unsqueeze", mask, nodes.ints("pool.axis", [1]), name="pool.row")
    sums = nodes.add("MatMul", row, hidden, name="pool.sums")
    total = nodes.add("Squeeze", sums, nodes.ints("pool.axis", [1]), name="pool.total")
    count = nodes.add("ReduceSum", mask, nodes.ints("pool.last", [-1]), name="pool.count")
    some = nodes.add("Max", count, nodes.scalar("pool.least", 1e-9), name="pool.some")
    mean = nodes.add("Div", total, some, name="pool.mean")
    norm = nodes.add("ReduceL2", mean, nodes.ints("pool.last", [-1]), name="pool.norm")
    length = nodes.add("Max", norm, nodes.scalar("pool.shortest", 1e-12), name="pool.length")
    nodes.add("Div", mean, length, name=_OUTPUT)


def _model(nodes: Nodes, config: Config) -> Any:
    inputs = [
        helper.make_tensor_value_info(port.name, TensorProto.INT32, list(port.shape or ()))
        for port in _INPUTS
    ]
    shape: list[int | str] = ["batch", config.hidden]
    output = helper.make_tensor_value_info(_OUTPUT, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes.nodes, "bert", inputs, [output], nodes.initializers)
    return helper.make_model(
        graph,
        producer_name="ipfs-accelerate",
        producer_version=str(BUILDER),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR,
    )


def _refusal(path: Path, why: str) -> ModelError:
    return ModelError(
        f"{path} is not the configuration of a BERT that can be built: {why}.",
        code="model_invalid",
        hint="Export the model to ONNX, and give the path of that file.",
        details={"path": str(path)},
    )
