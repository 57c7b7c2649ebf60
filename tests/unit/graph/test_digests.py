from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.graph import digests
from ipfs_accelerate.models import cid


@given(st.binary())
def test_a_cid_is_the_stores(data):
    assert digests.cid_of(data) == cid.cid_of(data)
    assert digests.check_cid(digests.cid_of(data)) == cid.cid_of(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "weights.bin",
        "b" + "a" * 58,
        cid.cid_of(b"x")[:-1] + "b",
        cid.cid_of(b"").upper(),
        b"\xff",
    ],
)
def test_what_is_no_cid_is_refused(text):
    with pytest.raises(ModelError, match="not the CID") as caught:
        digests.check_cid(text)
    assert caught.value.code == "model_invalid"
    assert caught.value.hint


def test_parts_do_not_run_together():
    assert digests.digest_of("ab", "c") != digests.digest_of("a", "bc")
    assert digests.digest_of("a") != digests.digest_of("a", "")
    assert digests.digest_of(b"1") == digests.digest_of(1) == digests.digest_of("1")


def test_each_kind_of_value_has_digests_of_its_own():
    found = {
        digests.of_tensor("float32", (2, 3), "c"),
        digests.of_tensor("float32", (3, 2), "c"),
        digests.of_tensor("int32", (2, 3), "c"),
        digests.of_strings((1,), [b"c"]),
        digests.of_input("x", "int32"),
        digests.of_input("x", "int64"),
        digests.of_index("x"),
        digests.of_value("n", 0),
        digests.of_value("n", 1),
    }
    assert len(found) == 9
    assert digests.ABSENT not in found
