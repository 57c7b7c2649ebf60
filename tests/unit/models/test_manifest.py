from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.cid import cid_of
from ipfs_accelerate.models.manifest import Block, Manifest, Port, Weight

CID = cid_of(b"block")
MANIFEST = Manifest(
    name="m",
    family="bert",
    task="text_embedding",
    graph=Block(CID, 5),
    weights=(Weight(CID, CID, 5),),
    inputs=(Port("x", "float32", ("batch", 3, None)),),
    outputs=(Port("y", "int64", None),),
    tokenizer=Block(CID, 5),
    max_length=256,
    precision="fp32",
    licence="MIT",
    source="file m.onnx",
)

names = st.text(max_size=5)
counts = st.integers(0, 2**53)
shapes = st.none() | st.lists(st.none() | counts | names, max_size=3).map(tuple)
ports = st.lists(st.builds(Port, names, names, shapes), max_size=3).map(tuple)
cids = st.binary(max_size=3).map(cid_of)
blocks = st.builds(Block, cids, counts)
manifests = st.builds(
    Manifest,
    name=names,
    family=names,
    task=names,
    graph=blocks,
    weights=st.lists(st.builds(Weight, names, cids, counts), max_size=3).map(tuple),
    inputs=ports,
    outputs=ports,
    tokenizer=st.none() | blocks,
    max_length=st.none() | counts,
    precision=names,
    licence=names,
    source=names,
)


@given(manifests)
def test_there_and_back_is_the_same(manifest):
    again = Manifest.from_json(manifest.to_json())
    assert again == manifest
    assert again.key == manifest.key == cid_of(manifest.to_json())


def test_the_key_tells_models_apart():
    assert replace(MANIFEST, precision="fp16").key != MANIFEST.key


def test_it_lists_its_blocks():
    assert list(MANIFEST.blocks()) == [Block(CID, 5)] * 3
    assert list(replace(MANIFEST, tokenizer=None, weights=()).blocks()) == [Block(CID, 5)]
    assert MANIFEST.weight_bytes == 5


@pytest.mark.parametrize(
    "change",
    [
        {"format": 1},
        {"format": 3},
        {"name": 1},
        {"graph": ["../x", 1]},
        {"graph": [CID, -1]},
        {"graph": [CID, True]},
        {"weights": [[CID, CID]]},
        {"weights": None},
        {"inputs": [{"name": "x", "dtype": "f", "shape": [1.5]}]},
        {"inputs": [1]},
        {"max_length": "long"},
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(change):
    value = json.loads(MANIFEST.to_json()) | change
    with pytest.raises(ModelError):
        Manifest.from_json(json.dumps(value).encode())


@given(st.binary())
def test_any_bytes_are_refused_in_one_way(data):
    with pytest.raises(ModelError, match="is none") as caught:
        Manifest.from_json(data)
    assert caught.value.code == "model_invalid"


@pytest.mark.parametrize("key", json.loads(MANIFEST.to_json()))
def test_every_key_is_needed(key):
    value = json.loads(MANIFEST.to_json())
    del value[key]
    with pytest.raises(ModelError):
        Manifest.from_json(json.dumps(value).encode())
