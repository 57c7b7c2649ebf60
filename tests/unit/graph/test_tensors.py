from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from tests.unit.graph.built import array, external

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.graph.digests import cid_of
from ipfs_accelerate.graph.tensors import raw_bytes, turned_bytes, weight_of
from ipfs_accelerate.tensors.dtypes import packed_bytes

TYPES = [one for one in TensorProto.DataType.values() if packed_bytes(one, 1) is not None]


@pytest.mark.parametrize("kind", TYPES)
def test_typed_data_is_raw_data(kind):
    values = [1, 0, 1, 1]
    typed = helper.make_tensor("t", kind, [2, 2], values)
    raw = numpy_helper.from_array(numpy_helper.to_array(typed), "t")
    assert raw.HasField("raw_data")
    assert raw_bytes(typed) == raw.raw_data
    assert weight_of(typed) == weight_of(raw)


def test_a_matrix_and_its_transpose_have_one_canonical_digest():
    one = array("w", 3, 5)
    other = numpy_helper.from_array(np.ascontiguousarray(numpy_helper.to_array(one).T), "t")
    assert weight_of(one).canonical == weight_of(other).canonical
    assert weight_of(one).digest != weight_of(other).digest
    data = turned_bytes("float32", (3, 5), one.raw_data)
    assert data == other.raw_data
    assert turned_bytes("int4", (2, 2), b"\0\0") is None


def test_an_external_weight_is_known_by_its_block():
    cid = cid_of(b"bytes")
    assert weight_of(external("w", (4, 4), cid)).canonical is None
    vector = weight_of(external("w", (16,), cid))
    assert (vector.cid, vector.content, vector.size) == (cid, cid, 64)
    assert vector.canonical == vector.digest


def test_strings_have_no_block():
    strings = TensorProto(data_type=TensorProto.STRING, dims=[2], string_data=[b"ab", b"c"])
    found = weight_of(strings)
    assert (found.size, found.content, found.cid, found.dtype) == (3, "", None, "string")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"dims": [3]}, "16 bytes where its shape takes 12"),
        ({"dims": [-4]}, "shape"),
        ({"data_type": 0}, "no type"),
        ({"data_type": 99}, "no type"),
        ({"data_type": TensorProto.STRING}, "as many strings"),
    ],
)
def test_tensors_that_are_none_are_refused(changes, why):
    tensor = TensorProto(name="w", dims=[4], data_type=1, raw_data=bytes(16))
    tensor.MergeFrom(TensorProto(**{**changes, "dims": []}))
    if "dims" in changes:
        tensor.dims[:] = changes["dims"]
    with pytest.raises(ModelError, match=why):
        weight_of(tensor)


@pytest.mark.parametrize(("key", "value"), [("offset", "4"), ("length", "8")])
def test_a_piece_of_a_block_is_refused(key, value):
    tensor = external("w", (4,), cid_of(b"x"))
    tensor.external_data.add(key=key, value=value)
    with pytest.raises(ModelError, match="piece of a block"):
        weight_of(tensor)
