"""Inputs for platforms that compile a model for one shape, and outputs cut back from it."""

from dataclasses import replace

import numpy as np
import pytest

from ipfs_accelerate.models.manifest import Block, Manifest, Port
from ipfs_accelerate.models.shapes import cut_back, dimensions_of, filled_up

SHAPE = ("batch", "sequence")
HASH = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"
TEXT = Manifest(
    name="text",
    family="bert",
    task="text_embedding",
    graph=Block(HASH, 1),
    weights=(),
    inputs=(Port("input_ids", "int32", SHAPE), Port("attention_mask", "int32", SHAPE)),
    outputs=(Port("each", "float32", (*SHAPE, 3)), Port("whole", "float32", ("batch", 3))),
    tokenizer=Block(HASH, 1),
    max_length=40,
    precision="fp32",
    licence="",
    source="",
)


def feeds(length, batch=2):
    ids = np.arange(batch * length, dtype=np.int32).reshape(batch, length) + 1
    return {"input_ids": ids, "attention_mask": np.ones_like(ids)}


def test_free_dimensions_have_the_sizes_of_the_inputs():
    assert dimensions_of(TEXT.inputs, feeds(5)) == {"batch": 2, "sequence": 5}
    ports = [Port("x", "float32", (None, 4, "n")), Port("y", "float32", None)]
    given = {"x": np.zeros((1, 4, 7)), "y": np.zeros(3)}
    assert dimensions_of(ports, given) == {"n": 7}


@pytest.mark.parametrize(("length", "filled"), [(1, 16), (16, 16), (17, 32), (33, 33), (50, 50)])
def test_a_text_is_filled_up_to_one_of_a_few_lengths(length, filled):
    before = feeds(length)
    after = filled_up(TEXT, before)
    for name, array in after.items():
        assert array.shape == (2, filled)
        assert array.dtype == np.int32
        assert np.array_equal(array[:, :length], before[name])
        assert not array[:, length:].any()


def test_what_no_mask_would_hide_is_left_as_it_is():
    for manifest, given in (
        (replace(TEXT, tokenizer=None), feeds(5)),
        (TEXT, {"input_ids": feeds(5)["input_ids"]}),
        (TEXT, {"attention_mask": np.ones(5)}),
    ):
        assert filled_up(manifest, given) == given


def test_outputs_lose_what_was_added():
    outputs = {"each": np.ones((2, 16, 3)), "whole": np.ones((2, 3))}
    cut = cut_back(TEXT.outputs, outputs, {"batch": 2, "sequence": 5})
    assert {name: array.shape for name, array in cut.items()} == {
        "each": (2, 5, 3),
        "whole": (2, 3),
    }
    ports = [Port("y", "float32", None), Port("z", "float32", (None, 2))]
    arrays = {"y": np.ones((4, 4)), "z": np.ones((3, 2))}
    assert cut_back(ports, arrays, {"n": 1})["y"].shape == (4, 4)
    assert cut_back(ports, arrays, {"n": 1})["z"].shape == (3, 2)
