"""A browser's numbers are native onnxruntime's."""

import numpy as np
import pytest
from tests.browser import native

from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.catalog import DEFAULT
from ipfs_accelerate.models.text import TextProcessor

TOLERANCE = 1e-4
WORDS = ["rain", "falls", "on", "quiet", "hills", "while", "a", "lazy", "fox", "reads"]


def text_of(words, start=0):
    return " ".join(WORDS[(start + number) % len(WORDS)] for number in range(words))


@pytest.fixture(scope="module")
def natively(shared_cache, accelerator):
    """MiniLM in native onnxruntime, from the blocks that the browser gets."""
    accelerator.load()
    store = BlockStore(shared_cache)
    manifest = resolve(DEFAULT, store)
    text = TextProcessor(manifest, store)

    def embed(texts):
        (vectors,) = native.run(store.path(manifest.graph.cid), text(texts)).values()
        return vectors

    return embed


@pytest.fixture(scope="module", params=[1, 2])
def threaded(request, shared_cache, accelerator):
    if request.param == accelerator._core.config.threads:
        yield accelerator
        return
    with type(accelerator)(cache_dir=shared_cache, websocket_port=0, threads=request.param) as made:
        yield made


@pytest.mark.parametrize("words", [1, 12, 126])
@pytest.mark.parametrize("batch", [1, 5])
def test_minilm_is_native_minilm(threaded, natively, words, batch):
    texts = [text_of(max(1, words - 3 * number), number) for number in range(batch)]
    result = threaded.embed(texts)
    assert result.output.shape == (batch, 384)
    assert result.output.dtype == np.float32
    assert np.abs(result.output - natively(texts)).max() < TOLERANCE
    np.testing.assert_allclose(np.linalg.norm(result.output, axis=1), 1, atol=1e-5)


def test_two_sentences_are_as_near_as_the_model_says(accelerator):
    first, second = accelerator.embed(
        ["A man is eating food.", "A man is eating a piece of bread."]
    ).output
    assert first @ second == pytest.approx(0.755, abs=1e-3)


def test_the_result_says_where_it_ran(accelerator):
    result = accelerator.embed("Where am I?")
    assert (result.backend, result.platform, result.device) == ("wasm", "wasm", "cpu")
    assert result.browser in ("chrome", "chromium", "edge")
    assert not result.is_real_hardware
    assert not result.is_simulation
    assert not result.cached
    assert 0 < result.inference_time * 1000 <= result.latency_ms
    assert result["output"] is result.output


def test_tensors_do_what_texts_do(accelerator, shared_cache):
    store = BlockStore(shared_cache)
    feeds = TextProcessor(resolve(DEFAULT, store), store)("a text as tensors")
    by_tensors = accelerator.run(DEFAULT, feeds)
    by_text = accelerator.embed("a text as tensors", remember=False)
    np.testing.assert_array_equal(by_tensors.output, by_text.output)
