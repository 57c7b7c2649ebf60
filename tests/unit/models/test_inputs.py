from __future__ import annotations

import numpy as np
import pytest

from ipfs_accelerate.errors import InferenceError, TensorError
from ipfs_accelerate.models.inputs import check_inputs, describe
from ipfs_accelerate.models.manifest import Port

TEXT = [
    Port(name, "int64", ("batch", "sequence"))
    for name in ("input_ids", "attention_mask", "token_type_ids")
]
PICTURE = [Port("pixels", "float32", (None, 3, 2, 2))]


def refuse(code, ports, given, *parts) -> None:
    with pytest.raises(InferenceError) as caught:
        check_inputs(ports, given)
    assert caught.value.code == code
    assert caught.value.hint
    for part in parts:
        assert part in str(caught.value)


def test_flat_lists_become_a_batch_of_one():
    arrays = check_inputs(TEXT, {"attention_mask": [1, 1, 0], "input_ids": [101, 7, 102]})
    assert list(arrays) == ["input_ids", "attention_mask", "token_type_ids"]
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "input_ids": [[101, 7, 102]],
        "attention_mask": [[1, 1, 0]],
        "token_type_ids": [[0, 0, 0]],
    }
    assert all(array.dtype == np.int64 for array in arrays.values())


def test_the_mask_and_the_types_have_defaults():
    arrays = check_inputs(TEXT, {"input_ids": np.ones((2, 3), np.int64)})
    assert arrays["attention_mask"].tolist() == [[1] * 3] * 2
    assert arrays["token_type_ids"].tolist() == [[0] * 3] * 2


def test_defaults_have_the_ports_own_dtype():
    ports = [TEXT[0], Port("attention_mask", "float32", ("batch", "sequence"))]
    assert check_inputs(ports, {"input_ids": [1]})["attention_mask"].dtype == np.float32


def test_a_mask_without_ids_has_no_default():
    refuse("input_missing", TEXT[1:2], {}, "'attention_mask' is missing")


def test_an_array_that_fits_is_not_copied():
    array = np.zeros((1, 3, 2, 2), np.float32)
    assert np.shares_memory(check_inputs(PICTURE, {"pixels": array})["pixels"], array)


def test_an_array_like_is_taken():
    class Like:
        def __array__(self, dtype=None, copy=None):
            return np.zeros((1, 3, 2, 2), np.float32)

    assert check_inputs(PICTURE, {"pixels": Like()})["pixels"].shape == (1, 3, 2, 2)


def test_big_endian_arrays_are_taken():
    array = check_inputs([Port("x", "int32", (2,))], {"x": np.array([1, 2], ">i4")})["x"]
    assert array.dtype == np.dtype("<i4")
    assert array.tolist() == [1, 2]


def test_a_shape_that_the_model_does_not_say_is_free():
    port = Port("x", "float32", None)
    assert check_inputs([port], {"x": [[1, 2]]})["x"].shape == (1, 2)
    assert check_inputs([port], {"x": 1.5})["x"].shape == ()
    assert describe(port) == "float32 of any shape"


def test_a_list_gets_no_batch_where_the_first_size_is_fixed():
    refuse("input_mismatch", [Port("x", "int64", (2, "n"))], {"x": [1, 2]}, "int64[2]")
    assert check_inputs([Port("x", "int64", (1, "n"))], {"x": [1, 2]})["x"].shape == (1, 2)


def test_an_array_gets_no_batch():
    refuse("input_mismatch", TEXT, {"input_ids": np.array([1, 2])}, "int64[2]", "2 dimensions")


def test_an_unknown_input_names_the_nearest():
    refuse(
        "input_unknown",
        TEXT,
        {"input_id": [1]},
        "no input 'input_id'",
        "nearest is 'input_ids'",
        "attention_mask int64[batch, sequence]",
    )


def test_a_model_without_inputs_says_so():
    assert check_inputs([], {}) == {}
    refuse("input_unknown", [], {"x": 1}, "Its inputs are: none.")


def test_integers_of_another_width_fit_where_each_of_them_does():
    narrow = [Port("x", "int32", ("n",))]
    array = check_inputs(narrow, {"x": np.array([1, -(2**31)], np.int64)})["x"]
    assert array.dtype == np.int32
    assert array.tolist() == [1, -(2**31)]
    assert check_inputs(narrow, {"x": np.array([], np.uint64)})["x"].dtype == np.int32
    refuse("input_mismatch", narrow, {"x": np.array([2**31])}, "int32[n]", "int64[1]")
    refuse("input_mismatch", narrow, {"x": np.array([True])}, "int32[n]", "bool[1]")


def test_a_missing_input_says_what_it_wants():
    refuse(
        "input_missing", PICTURE, {}, "'pixels' is missing", "float32[?, 3, 2, 2]", "got nothing"
    )


@pytest.mark.parametrize(
    ("ports", "given", "parts"),
    [
        (
            TEXT,
            {"input_ids": np.ones((1, 2), np.float32)},
            [
                "'input_ids'",
                "expected int64[batch, sequence]",
                "got float32[1, 2]",
                "astype('int64')",
            ],
        ),
        (PICTURE, {"pixels": np.zeros((1, 3, 2, 2))}, ["expected float32", "got float64"]),
        (
            PICTURE,
            {"pixels": np.zeros((1, 4, 2, 2), np.float32)},
            ["[1, 4, 2, 2]", "dimension 1 3"],
        ),
        (TEXT, {"input_ids": [1.5]}, ["whose value 1.5 int64 cannot hold"]),
        (TEXT, {"input_ids": [[1], [2, 3]]}, ["got list of rows that are not of one length"]),
        (TEXT, {"input_ids": "hello"}, ["which holds no plain numbers"]),
        (TEXT, {"input_ids": 5}, ["got int64[]"]),
        (TEXT, {"input_ids": [[[1]]]}, ["got int64[1, 1, 1]"]),
        (TEXT, {"input_ids": np.array(["a"])}, ["got <U1[1]"]),
        (
            TEXT,
            {"input_ids": [1, 2, 3], "attention_mask": [1, 1]},
            ["'attention_mask' does not fit", "'sequence' is 2, and 3 in 'input_ids'"],
        ),
    ],
)
def test_what_does_not_fit_says_input_expected_and_got(ports, given, parts):
    refuse("input_mismatch", ports, given, *parts)


def test_a_dtype_that_no_frame_carries_is_said():
    with pytest.raises(TensorError) as caught:
        check_inputs([Port("x", "string", (1,))], {"x": ["a"]})
    assert caught.value.code == "tensor_dtype"
