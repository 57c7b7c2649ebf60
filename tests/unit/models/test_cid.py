from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.cid import cid_of, digest_of, from_digest, verify

HELLO = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"
EMPTY = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"


@pytest.mark.parametrize(("data", "cid"), [(b"hello world", HELLO), (b"", EMPTY)])
def test_known_blocks(data, cid):
    assert cid_of(data) == cid
    assert cid_of(memoryview(data)) == cid_of(bytearray(data)) == cid


@given(st.binary())
def test_a_cid_holds_its_digest(data):
    cid = cid_of(data)
    assert from_digest(digest_of(cid)) == cid
    verify(cid, data)


def test_other_bytes_are_refused():
    with pytest.raises(ModelError, match=f"not that block: their CID is {EMPTY}") as caught:
        verify(HELLO, b"")
    assert caught.value.code == "block_unavailable"
    assert caught.value.retryable


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "../../etc/passwd",
        HELLO.upper(),
        HELLO[:-1],
        HELLO + "a",
        HELLO[:-1] + "f",  # the unused bits at the end set
        "z" + HELLO[1:],
        HELLO[:-1] + "1",  # not in base32
        HELLO[:-1] + "é",
        HELLO[:-1] + "/",
        "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",  # dag-pb
        "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG",
    ],
)
def test_what_is_no_cid_of_a_raw_block_is_refused(text):
    with pytest.raises(ModelError, match="is not the CID of a raw block") as caught:
        digest_of(text)
    assert caught.value.code == "block_unavailable"


@given(st.text())
def test_any_text_is_refused_in_one_way(text):
    with pytest.raises(ModelError):
        digest_of(text)
