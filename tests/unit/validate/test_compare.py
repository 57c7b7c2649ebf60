import json
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ipfs_accelerate.validate.compare import compare, compare_kinds
from ipfs_accelerate.validate.tolerance import MODELS, OPERATORS, allowed, scaled

NAN, INF = np.nan, np.inf


def difference(computed, right, tolerance=OPERATORS) -> Any:
    return compare({"y": np.asarray(computed)}, {"y": np.asarray(right)}, tolerance)


def f32(*values):
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("computed", "right"),
    [
        (f32(1, 2, 3), f32(1, 2, 3.0001)),
        (f32(NAN, INF, -INF), f32(NAN, INF, -INF)),
        (f32(), f32()),
        (f32(1000.05), f32(1000)),
        (f32(0.0002, 450), f32(0, 450)),  # a sum of hundreds, whose roundings are in it
        (np.float32(2), np.float32(2)),
        (np.array([2**63 - 1]), np.array([2**63 - 1])),
        (np.array([True]), np.array([True])),
        (np.array([1, 2], ">f4"), f32(1, 2)),
        (np.array([1.01], ml_dtypes.bfloat16), np.array([1.0], ml_dtypes.bfloat16)),
        (np.array([1.0, NAN], np.float16), np.array([1.001, NAN], np.float16)),
    ],
)
def test_what_is_right(computed, right):
    assert difference(computed, right) is None


@pytest.mark.parametrize(
    ("computed", "right", "says"),
    [
        (f32(1, 2.02, 3), f32(1, 2, 3), "2.02 where 2 is right, at [1]; off by 0.01, 0.0001 is"),
        (f32(NAN), f32(1), "nan where 1 is right"),
        (f32(1), f32(NAN), "1 where nan is right"),
        (f32(-INF), f32(INF), "-inf where inf is right"),
        (f32(3e38), f32(INF), "3e+38 where inf is right"),
        (f32(INF), f32(3e38), "inf where 3e+38 is right"),
        (f32(0.01), f32(0), "off by 0.01"),
        (np.array([3]), np.array([4]), "3 where 4 is right, at [0]; off by 0.25, it must be exact"),
        (np.array([2**63 - 1]), np.array([2**63 - 2]), "it must be exact"),
        (np.array([True]), np.array([False]), "it must be exact"),
        (np.float32(2), np.float32(3), "at []"),
        (np.array([1.0], np.float64), f32(1), "it is float64, not float32"),
        (f32(1), np.float32(1), "its shape is [1], not []"),
        (np.array([1.1], np.float16), np.array([1], np.float16), "0.002 is allowed"),
        (np.array([1.1], ml_dtypes.bfloat16), np.array([1.0], ml_dtypes.bfloat16), "0.016 is"),
    ],
)
def test_what_is_wrong(computed, right, says):
    assert says in difference(computed, right).what


def test_one_element_in_a_million_that_is_off_by_a_hundredth_is_found():
    right = np.random.default_rng(1).standard_normal((100, 100, 100)).astype(np.float32)
    computed = right.copy()
    computed[17, 3, 99] *= 1.01
    assert abs(right[17, 3, 99]) > 0.1
    assert difference(computed, right).at == (17, 3, 99)


def test_the_worst_output_is_named():
    right = {"a": f32(1), "b": f32(1), "c": f32(1)}
    found: Any = compare({"a": f32(1.1), "b": f32(1.2), "c": f32(1)}, right, MODELS)
    assert found.output == "b"
    assert str(compare({"a": f32(1.1), "c": f32(1)}, right, MODELS)) == "b: it is missing"


def test_an_output_that_nobody_asked_about_is_no_matter():
    assert compare({"a": f32(1), "more": f32(1)}, {"a": f32(1)}, MODELS) is None


def test_numbers_that_are_drawn_anew_are_held_to_their_kind():
    right = {"y": f32(1, 2)}
    assert compare_kinds({"y": f32(7, 8)}, right) is None
    assert "its shape" in str(compare_kinds({"y": f32(7)}, right))
    assert "it is int64" in str(compare_kinds({"y": np.array([1, 2])}, right))


def test_a_difference_is_plain_numbers():
    found = difference(f32(1.5), f32(1))
    assert json.dumps([found.got, found.expected, found.off, found.at]) == "[1.5, 1.0, 0.5, [0]]"


def test_a_tolerance_for_float32_scales_the_others():
    table = scaled(MODELS, 1e-3)
    assert table["float32"] == pytest.approx(1e-3)
    assert table["float16"] == pytest.approx(10 * MODELS["float16"])
    assert scaled(MODELS, None) == MODELS
    assert allowed(table, "int64") == 0
    assert difference(f32(1.0005), f32(1)) is not None
    assert difference(f32(1.0005), f32(1), table) is None
