from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from ipfs_accelerate.errors import InferenceError, ModelError
from ipfs_accelerate.models.manifest import Port
from ipfs_accelerate.models.text import TextProcessor, TextProcessors

FORK = """
import os, sys
from pathlib import Path
from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.text import TextProcessor, TextProcessors

store = BlockStore(Path(sys.argv[1]))
process = TextProcessor(resolve("all-MiniLM-L6-v2", store), store)
process(["before the fork"] * 100)
child = os.fork()
process(["after the fork"] * 100)
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.fixture(scope="module")
def process(minilm, minilm_store):
    return TextProcessor(minilm, minilm_store)


def words(manifest, store, **padding) -> TextProcessor:
    """A processor over a small tokenizer of words, with this padding noted in its file."""
    vocabulary = {"[PAD]": 0, "a": 1, "b": 2, "[X]": 9}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[PAD]"))  # noqa: S106 - a token
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if padding:
        tokenizer.enable_padding(**padding)
    block = store.put(tokenizer.to_str().encode())
    return TextProcessor(replace(manifest, tokenizer=block), store)


def test_texts_become_padded_ids(process):
    arrays = process(["Hello, world!", "a"])
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "input_ids": [[101, 7592, 1010, 2088, 999, 102], [101, 1037, 102, 0, 0, 0]],
        "attention_mask": [[1] * 6, [1, 1, 1, 0, 0, 0]],
        "token_type_ids": [[0] * 6, [0] * 6],
    }
    assert all(array.dtype == np.int32 for array in arrays.values())


def test_one_text_is_a_batch_of_one(process):
    assert process("a")["input_ids"].tolist() == [[101, 1037, 102]]


def test_an_empty_text_is_a_text(process):
    assert process([""])["input_ids"].tolist() == [[101, 102]]


def test_a_long_text_is_cut_where_the_package_says(process, minilm):
    assert minilm.max_length == 256
    ids = process(["word " * 1000])["input_ids"]
    assert ids.shape == (1, 256)
    assert ids[0, -1] == 102


def test_without_a_limit_nothing_is_cut(minilm, minilm_store):
    process = TextProcessor(replace(minilm, max_length=None), minilm_store)
    assert process(["word " * 1000])["input_ids"].shape == (1, 1002)


def test_only_the_models_own_inputs_are_made(minilm, minilm_store):
    manifest = replace(minilm, inputs=(*minilm.inputs[:1], Port("other", "int64", None)))
    assert list(TextProcessor(manifest, minilm_store)("a")) == ["input_ids"]


def test_padding_is_the_tokenizers_own(minilm, store):
    process = words(minilm, store, direction="left", pad_id=9, pad_type_id=3, pad_token="[X]")  # noqa: S106 - a token
    arrays = process(["a", "a b"])
    assert arrays["input_ids"].tolist() == [[9, 1], [1, 2]]
    assert arrays["attention_mask"].tolist() == [[0, 1], [1, 1]]
    assert arrays["token_type_ids"].tolist() == [[3, 0], [0, 0]]


def test_without_padding_zeros_are_put(minilm, store):
    assert words(minilm, store)(["a", "a b"])["input_ids"].tolist() == [[1, 0], [1, 2]]


def test_threads_get_their_own_texts(process):
    texts = [[f"text {n} " * (n % 7 + 1), "x"] for n in range(200)]
    expected = [process(pair)["input_ids"].tolist() for pair in texts]
    with ThreadPoolExecutor(8) as pool:
        assert [a["input_ids"].tolist() for a in pool.map(process, texts)] == expected


def test_a_fork_brings_no_warning_and_the_environment_is_left_alone(minilm, minilm_store):
    assert minilm.tokenizer is not None
    environment = {k: v for k, v in os.environ.items() if k != "TOKENIZERS_PARALLELISM"}
    ran = subprocess.run(
        [sys.executable, "-c", FORK, str(minilm_store.root)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert os.environ.get("TOKENIZERS_PARALLELISM") == environment.get("TOKENIZERS_PARALLELISM")


@pytest.mark.parametrize(
    ("texts", "match"),
    [
        ([], "empty list"),
        (["a", 5], "Item 1 of the texts is of type int; expected str"),
        ([None], "of type NoneType"),
        (["\ud800"], "lone surrogates"),
    ],
)
def test_what_is_no_text_is_refused(process, texts, match):
    with pytest.raises(InferenceError, match=match) as caught:
        process(texts)
    assert caught.value.code == "input_mismatch"


def test_a_model_without_a_tokenizer_takes_no_text(minilm, minilm_store):
    with pytest.raises(ModelError, match="it cannot take text") as caught:
        TextProcessor(replace(minilm, tokenizer=None), minilm_store)
    assert "'input_ids': ..." in str(caught.value)


@pytest.mark.parametrize("data", [b"{}", b"", b"\xff", b"[1]"])
def test_a_damaged_tokenizer_is_said(minilm, store, data):
    with pytest.raises(ModelError, match="tokenizer of all-MiniLM-L6-v2 cannot be read"):
        TextProcessor(replace(minilm, tokenizer=store.put(data)), store)


def test_texts_that_were_just_given_are_not_encoded_again(minilm, minilm_store):
    process = TextProcessor(minilm, minilm_store)
    first, second = process.again("a text"), process.again(["a text"])
    assert first["input_ids"] is second["input_ids"]
    assert np.array_equal(first["input_ids"], process("a text")["input_ids"])
    assert process.again("another")["input_ids"] is not first["input_ids"]
    with pytest.raises(ValueError, match="read-only"):
        first["input_ids"][0, 0] = 1
    long = "word " * 3000
    assert process.again(long)["input_ids"] is not process.again(long)["input_ids"]


def test_models_that_take_texts_in_the_same_way_have_one_processor(minilm, minilm_store):
    texts = TextProcessors(minilm_store)
    assert texts.of(minilm) is texts.of(replace(minilm, name="another", outputs=()))
    shorter = texts.of(replace(minilm, max_length=8))
    assert shorter is not texts.of(minilm)
    assert shorter("word " * 20)["input_ids"].shape == (1, 8)
