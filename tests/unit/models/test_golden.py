"""A device's numbers against the right ones."""

import re

import numpy as np
import pytest

from ipfs_accelerate.models.catalog import DEFAULT, ENTRIES
from ipfs_accelerate.models.golden import Golden, golden_of

RIGHT = {"out": np.array([1.0, -0.5, 200.0], np.float32)}
GOLDEN = Golden.of(({"x": [1, 2]}, RIGHT), "fp32")


@pytest.mark.parametrize("values", [[1, -0.5, 200], [1.0009, -0.5, 200.1]])
def test_what_rounding_explains_is_right(values):
    assert GOLDEN.fault({"out": np.array(values, np.float32), "more": np.zeros(1)}) is None


@pytest.mark.parametrize(
    ("computed", "says"),
    [
        ({"out": np.array([1, -0.5, 201], np.float32)}, "off by 0.005"),
        ({"out": np.array([np.nan, -0.5, 200], np.float32)}, "off by nan"),
        ({"out": np.zeros(3, np.float32)}, "off by 1"),
        ({"out": np.zeros(4, np.float32)}, r"has the shape \(4,\), not \(3,\)"),
        ({}, "out is missing"),
    ],
)
def test_what_it_does_not_is_told(computed, says):
    fault = GOLDEN.fault(computed)
    assert fault is not None
    assert re.search(says, fault)


def test_nothing_and_nan_where_it_belongs_are_right():
    empty = Golden.of(({}, {"out": np.zeros((0, 3))}), "fp32")
    assert empty.fault({"out": np.zeros((0, 3))}) is None
    nan = Golden.of(({}, {"out": np.array([np.nan, 1])}), "fp32")
    assert nan.fault({"out": np.array([np.nan, 1])}) is None


def test_every_catalogued_model_has_one():
    for entry in ENTRIES:
        golden = golden_of(entry.name)
        assert golden is not None
        assert golden.inputs
        assert all(np.isfinite(one).all() for one in golden.outputs.values())
    (vector,) = golden_of(DEFAULT).outputs.values()  # type: ignore[union-attr]  # looked at above
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert golden_of("any.onnx") is None
