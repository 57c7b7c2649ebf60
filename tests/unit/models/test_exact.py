from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ipfs_accelerate.models.exact import to_exact

NAMES = ["int8", "int64", "uint8", "uint64", "float16", "float32", "float64", "bool"]


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        ([1, 2], "int64", [1, 2]),
        ([1.0, 2.0], "int64", [1, 2]),
        ([True, False], "int64", [1, 0]),
        ([0, 1], "bool", [False, True]),
        ([0.1], "float32", [np.float32(0.1)]),
        ([float("inf"), 1], "float16", [np.inf, 1]),
        ([2**63], "uint64", [2**63]),
        ([0, 2**63 + 1], "uint64", [0, 2**63 + 1]),
        ([2**53 + 1, 1.0], "int64", [2**53 + 1, 1]),
        ([2**53 + 2, 0.5], "float64", [2**53 + 2, 0.5]),
        ([[1], [2]], "float32", [[1], [2]]),
        (3, "int32", 3),
        ([], "int64", []),
        ((1, 2), "uint8", [1, 2]),
    ],
)
def test_what_fits_is_taken(value, dtype, expected):
    array = to_exact(value, np.dtype(dtype))
    assert array.dtype == dtype
    assert np.array_equal(array, np.array(expected, dtype))


def test_nan_stays_nan():
    assert np.isnan(to_exact([float("nan")], np.dtype("float32")))[0]


def test_the_small_floats_are_made():
    array = to_exact([0.5, -1], np.dtype(ml_dtypes.bfloat16))
    assert array.astype(float).tolist() == [0.5, -1]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([1.5], "int64"),
        ([float("nan")], "int64"),
        ([float("inf")], "int64"),
        ([-1], "uint8"),
        ([-1], "uint64"),
        ([256], "uint8"),
        ([2**63], "int64"),
        ([2**63, -1], "uint64"),
        ([2**63, -1], "int64"),
        ([2**53 + 1, 1.5], "int64"),
        ([2**70], "int64"),
        ([1e30], "int64"),
        ([2], "bool"),
        ([2**24 + 1], "float32"),
        ([2**63 + 1, 0], "float32"),
        ([2**53 + 1, 0.5], "float64"),
        ([[2**53 + 1], [0.5]], "float64"),
        ([1e39], "float32"),
        ([70000.0], "float16"),
        (["1"], "int64"),
        ([None], "float32"),
        ([1j], "float32"),
        ([[1], [2, 3]], "int64"),
        ({"a": 1}, "int64"),
        (None, "int64"),
    ],
)
def test_what_would_be_lost_is_refused(value, dtype):
    with pytest.raises(ValueError, match=r"no plain numbers|cannot hold|not of one length"):
        to_exact(value, np.dtype(dtype))


@given(
    hnp.arrays(
        st.sampled_from(NAMES).map(np.dtype), hnp.array_shapes(min_dims=1, max_dims=2, min_side=0)
    ),
    st.sampled_from(NAMES),
)
def test_no_value_changes_unseen(array, name):
    value = array.tolist()
    try:
        exact = to_exact(value, np.dtype(name))
    except ValueError:
        return
    whole = np.dtype(name).kind in "biu"
    for given_value, got in zip(array.ravel().tolist(), exact.ravel().tolist(), strict=True):
        if whole or not isinstance(given_value, float):
            assert got == given_value
        elif np.isfinite(given_value):
            assert np.isfinite(got)


@given(hnp.arrays(st.sampled_from(NAMES).map(np.dtype), st.integers(0, 4)))
def test_a_dtypes_own_values_always_fit(array):
    assert np.array_equal(
        to_exact(array.tolist(), array.dtype), array, equal_nan=array.dtype.kind == "f"
    )
