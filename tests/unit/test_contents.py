"""Equal inputs have one name, and inputs that differ in anything have others."""

import hashlib

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ipfs_accelerate.contents import digest_of, name_of

SOME = np.arange(6, dtype=np.float32)


def test_equal_arrays_have_one_name_however_they_lie_in_memory():
    matrix = SOME.reshape(2, 3)
    assert digest_of(matrix) == digest_of(matrix.copy())
    assert digest_of(matrix) == digest_of(np.asfortranarray(matrix))
    assert digest_of(matrix) == digest_of(np.arange(12, dtype=np.float32)[::2].reshape(2, 3) / 2)


@pytest.mark.parametrize(
    "other",
    [
        SOME + 1,
        SOME.reshape(2, 3),
        SOME.reshape(6, 1),
        SOME.astype(np.int32),
        SOME.view(np.int32),
        SOME[:5],
        SOME.astype(">f4"),
    ],
)
def test_another_value_shape_or_dtype_is_another_name(other):
    assert digest_of(other) != digest_of(SOME)


def test_nothing_has_names_too():
    shapes = [(), (1,), (0,), (0, 3), (3, 0)]
    assert len({digest_of(np.zeros(shape, np.float32)) for shape in shapes}) == len(shapes)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2),
        (ml_dtypes.float8_e4m3fn, np.uint8),
        (ml_dtypes.bfloat16, np.float16),
    ],
)
def test_dtypes_that_numpy_lacks_are_told_apart(one, other):
    array = np.array([1, 2, 3]).astype(one)
    assert digest_of(array) == digest_of(array.copy())
    assert digest_of(array) != digest_of(array.view(other))


@given(arrays.arrays(np.int16, arrays.array_shapes(min_dims=0, min_side=0)), st.data())
def test_a_changed_number_changes_the_name(array, data):
    before = digest_of(array)
    if array.size:
        place = tuple(data.draw(st.integers(0, side - 1)) for side in array.shape)
        array[place] ^= 1
        assert digest_of(array) != before
        array[place] ^= 1
    assert digest_of(array) == before


def test_names_go_together_to_one_name_in_their_order():
    assert name_of("a", "b") == hashlib.sha256(b"a\nb").hexdigest()
    assert len({name_of("a", "b"), name_of("b", "a"), name_of("ab"), name_of("a")}) == 4
