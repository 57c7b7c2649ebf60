from __future__ import annotations

import numpy as np
import pytest
from onnx import numpy_helper
from tests.unit.graph.built import array, external, model, node

from ipfs_accelerate.graph.constants import constant, constants_of
from ipfs_accelerate.graph.digests import cid_of

MATRIX = array("w", 3, 5)
TURNED = np.ascontiguousarray(numpy_helper.to_array(MATRIX).T)


def test_constants_by_name_and_digest():
    nodes = [node("Constant", "", "c", value=MATRIX), node("Add", "x w", "y")]
    found = constants_of(model(nodes, [MATRIX]).graph)
    assert found.named["c"] == found.named["w"]
    assert len(found.weights) == 1
    assert found.bytes_of(found.named["w"]) == MATRIX.raw_data


def test_a_matrix_inside_is_turned_by_its_bytes():
    found = constants_of(model([], [MATRIX, array("v", 4)]).graph)
    digest = found.turn(found.named["w"], None) or ""
    assert found.weights[digest].shape == (5, 3)
    assert found.bytes_of(digest) == TURNED.tobytes()
    assert (
        constants_of(model([], [array("v", 4), MATRIX]).graph).bytes_of(digest) == TURNED.tobytes()
    )
    assert found.turn(found.named["v"], None) is None


def test_one_outside_by_the_caller():
    cid, other = cid_of(b"w"), cid_of(b"t")
    found = constants_of(model([], [external("w", (64, 32), cid)]).graph)
    assert found.turn(found.named["w"], None) is None
    digest = found.turn(found.named["w"], lambda *_: other) or ""
    weight = found.weights[digest]
    assert (weight.cid, weight.turned_from, weight.shape) == (other, cid, (32, 64))


@pytest.mark.parametrize(
    "other",
    [
        node("Relu", "x", "y"),
        node("Constant", "", "y"),
        node("Constant", "", "y", value=1.0),
        node("Constant", "", "y", value_int=1, value_float=1.0),
        node("Constant", "", "y", value_int=1, domain="mine"),
        node("Constant", "", "y z", value_int=1),
    ],
)
def test_what_is_no_plain_constant(other):
    assert constant(other) is None
