from __future__ import annotations

import json
import math
import tracemalloc
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import onnxruntime as ort  # type: ignore[import-untyped]  # it ships no types
import pytest
from safetensors.numpy import load_file, save_file

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import bert, catalog, package
from ipfs_accelerate.models.blocks import BlockStore
from ipfs_accelerate.models.manifest import Port
from ipfs_accelerate.models.source import resolve
from ipfs_accelerate.models.text import TextProcessor

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "A man is eating food.",
    "A man is eating a piece of bread.",
    "",
    "The girl is carrying a baby, and the baby sleeps through all of it; nobody minds.",
    "naïve café 日本語 \U0001f600",
    "word " * 400,
]


def _erf(x) -> Any:
    return np.fromiter(map(math.erf, x.ravel().tolist()), float, x.size).reshape(x.shape)


class Reference:
    """The same encoder in plain NumPy, from the package's own weights."""

    def __init__(self, folder) -> None:
        self.weights = load_file(folder / "model.safetensors")

    def __call__(self, ids) -> Any:
        x = self.weights["embeddings.word_embeddings.weight"][ids].astype(np.float64)
        x += self.weights["embeddings.position_embeddings.weight"][: len(ids)]
        x += self.weights["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for number in range(6):
            x = self.layer(x, f"encoder.layer.{number}")
        mean = x.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def layer(self, x, name) -> Any:
        heads = [
            self.dense(x, f"{name}.attention.self.{part}").reshape(-1, 12, 32).swapaxes(0, 1)
            for part in ("query", "key", "value")
        ]
        query, key, value = heads
        scores = query @ key.swapaxes(1, 2) / math.sqrt(32)
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        joined = (shares @ value).swapaxes(0, 1).reshape(-1, 384)
        x = self.residual(joined, x, f"{name}.attention.output")
        wide = self.dense(x, f"{name}.intermediate.dense")
        active = wide * 0.5 * (1 + _erf(wide / math.sqrt(2)))
        return self.residual(active, x, f"{name}.output")

    def residual(self, inner, x, name) -> Any:
        return self.norm(self.dense(inner, f"{name}.dense") + x, f"{name}.LayerNorm")

    def dense(self, x, name) -> Any:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, x, name) -> Any:
        centred = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-12)
        return centred / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


@pytest.fixture(scope="module")
def folder():
    return package.find_folder(catalog.ENTRIES[0])


@pytest.fixture(scope="module")
def session(minilm, minilm_store):
    return ort.InferenceSession(minilm_store.path(minilm.graph.cid))


@pytest.fixture(scope="module")
def process(minilm, minilm_store):
    return TextProcessor(minilm, minilm_store)


@pytest.fixture(scope="module")
def embed(session, process):
    return lambda texts: session.run(["text_embedding"], process(texts))[0]


def test_it_equals_a_straight_implementation(embed, process, folder):
    reference = Reference(folder)
    for text in TEXTS:
        expected = reference(process(text)["input_ids"][0])
        assert np.abs(embed([text])[0] - expected).max() < 1e-5


def test_known_similarities(embed):
    food, bread = embed(TEXTS[:2])
    assert food @ bread == pytest.approx(0.7553, abs=1e-4)
    food, bread = embed(["eating food", "eating a piece of bread"])
    assert food @ bread == pytest.approx(0.6803, abs=1e-4)


def test_vectors_have_length_1(embed):
    assert np.linalg.norm(embed(TEXTS), axis=1) == pytest.approx(1, abs=1e-6)


def test_neither_the_batch_nor_its_padding_changes_a_vector(embed):
    alone = np.concatenate([embed([text]) for text in TEXTS])
    together = embed(TEXTS)
    assert np.abs(alone - together).max() < 1e-5
    assert np.abs(embed(TEXTS[::-1])[::-1] - together).max() < 1e-5


def test_what_stands_in_the_padding_does_not_matter(session, process):
    feeds = process(TEXTS[:3])
    before = session.run(None, feeds)[0]
    noise = np.random.default_rng(3).integers(0, 30522, feeds["input_ids"].shape, np.int32)
    changed = np.where(feeds["attention_mask"] == 1, feeds["input_ids"], noise)
    after = session.run(None, feeds | {"input_ids": changed})[0]
    assert np.array_equal(before, after)


def test_a_row_without_tokens_gives_zeros_and_no_nan(session):
    ids = np.full((1, 4), 101, np.int32)
    vector = session.run(
        None, {"input_ids": ids, "attention_mask": 0 * ids, "token_type_ids": 0 * ids}
    )[0]
    assert np.array_equal(vector, np.zeros((1, 384), np.float32))


def test_its_ports(minilm, session):
    assert [port.name for port in minilm.inputs] == [
        "input_ids",
        "attention_mask",
        "token_type_ids",
    ]
    assert minilm.outputs == (Port("text_embedding", "float32", ("batch", 384)),)
    for port, value in zip(
        (*minilm.inputs, *minilm.outputs),
        (*session.get_inputs(), *session.get_outputs()),
        strict=True,
    ):
        kind = {"int32": "tensor(int32)", "float32": "tensor(float)"}[port.dtype]
        assert (value.name, value.type, tuple(value.shape)) == (port.name, kind, port.shape)


def test_the_graph_is_valid_and_keeps_the_names(minilm, minilm_store, folder):
    path = minilm_store.path(minilm.graph.cid)
    onnx.checker.check_model(str(path), full_check=True)
    graph = onnx.load(path, load_external_data=False).graph
    names = {tensor.name for tensor in graph.initializer}
    used = {name for name in load_file(folder / "model.safetensors") if "pooler" not in name}
    assert used - {"embeddings.position_ids"} <= names
    assert len(graph.node) < 225


def test_large_weights_lie_outside(minilm, minilm_store):
    assert len(minilm.weights) == 44
    assert minilm.weight_bytes == 90_172_416
    assert all(weight.size >= 4096 and weight.path == weight.cid for weight in minilm.weights)
    assert minilm.graph.size < 200_000
    for weight in minilm.weights:
        assert len(minilm_store.get(weight.cid)) == weight.size


def test_the_same_files_give_the_same_model(minilm, tmp_path):
    assert resolve(minilm.name, BlockStore(tmp_path)).key == minilm.key


def test_the_file_is_never_held_a_second_time(folder, store):
    tracemalloc.start()
    bert.build(folder / "config.json", folder / "model.safetensors", store)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20


CONFIG = {
    "model_type": "bert",
    "hidden_size": 8,
    "num_attention_heads": 2,
    "num_hidden_layers": 1,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"model_type": "roberta"}, "a 'roberta' model"),
        ({"position_embedding_type": "relative_key"}, "'relative_key' positions"),
        ({"hidden_act": "swish"}, "its activation is 'swish'"),
        ({"num_attention_heads": 3}, "do not divide into 3 heads"),
        ({"num_attention_heads": 0}, "do not divide"),
        ({"hidden_size": None}, "TypeError"),
        ({"hidden_size": "x"}, "ValueError"),
    ],
)
def test_a_configuration_that_cannot_be_built_is_refused(tmp_path, change, match):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG | change))
    with pytest.raises(ModelError, match=match) as caught:
        bert.read_config(path)
    assert caught.value.code == "model_invalid"


def test_a_missing_or_damaged_configuration_is_refused(tmp_path):
    path = tmp_path / "config.json"
    for data in (None, b"", b"[]", b"{}"):
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(ModelError):
            bert.read_config(path)


def small(folder, *, dtype=np.float32, without="") -> tuple[Path, Path]:
    """A BERT of one layer and 8 columns, with seeded weights."""
    random = np.random.default_rng(5)
    shapes: dict[str, tuple[int, ...]] = {
        f"embeddings.{kind}_embeddings.weight": (20, 8) for kind in ("word", "position")
    }
    shapes |= {"embeddings.token_type_embeddings.weight": (2, 8)}
    norms = ["embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"]
    for norm in norms:
        shapes |= {f"{norm}.LayerNorm.{part}": (8,) for part in ("weight", "bias")}
    dense = {f"attention.self.{part}": (8, 8) for part in ("query", "key", "value")}
    dense |= {"attention.output.dense": (8, 8), "intermediate.dense": (16, 8)}
    dense |= {"output.dense": (8, 16)}
    for name, shape in dense.items():
        shapes[f"encoder.layer.0.{name}.weight"] = shape
        shapes[f"encoder.layer.0.{name}.bias"] = shape[:1]
    weights = {k: random.standard_normal(v).astype(dtype) for k, v in shapes.items()}
    weights.pop(without, None)
    save_file(weights, folder / "w")
    (folder / "c").write_text(json.dumps(CONFIG | {"hidden_act": "relu"}))
    return folder / "c", folder / "w"


def test_a_small_model_is_all_inside(tmp_path, store):
    built = bert.build(*small(tmp_path), store)
    assert built.weights == ()
    ids = np.array([[1, 2, 3]], np.int32)
    feeds = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
    vector = ort.InferenceSession(store.path(built.graph.cid)).run(None, feeds)[0]
    assert vector.shape == (1, 8)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_a_missing_weight_is_said(tmp_path, store):
    name = "encoder.layer.0.output.dense.bias"
    with pytest.raises(ModelError, match=f"no tensor '{name}'"):
        bert.build(*small(tmp_path, without=name), store)


def test_weights_of_another_type_are_refused(tmp_path, store):
    with pytest.raises(ModelError, match="as F16; the graph is built of F32"):
        bert.build(*small(tmp_path, dtype=np.float16), store)
