from __future__ import annotations

import os

import pytest

from ipfs_accelerate.models import builds
from ipfs_accelerate.models.manifest import Manifest, Weight


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source"
    path.write_bytes(b"weights")
    return path


@pytest.fixture
def manifest(store):
    weight = store.put(b"weight")
    return Manifest(
        name="m",
        family="unknown",
        task="tensors",
        graph=store.put(b"graph"),
        weights=(Weight(weight.cid, weight.cid, weight.size),),
        inputs=(),
        outputs=(),
        tokenizer=store.put(b"tokenizer"),
        max_length=None,
        precision="fp32",
        licence="MIT",
        source="test",
    )


@pytest.fixture
def kept(store, manifest, source):
    builds.remember(store, "key", manifest, builds.stamps_of([source]))
    return manifest


def test_what_is_kept_is_recalled(store, kept):
    assert builds.recall(store, "key") == kept
    assert store.has(kept.key)


def test_another_key_is_a_miss(store, kept):
    assert builds.recall(store, "other") is None


def test_a_changed_size_is_a_miss(store, kept, source):
    source.write_bytes(b"other weights")
    assert builds.recall(store, "key") is None


def test_a_changed_time_is_a_miss(store, kept, source):
    status = source.stat()
    os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns + 1000))
    assert builds.recall(store, "key") is None


def test_a_source_that_is_gone_is_a_miss(store, kept, source):
    source.unlink()
    assert builds.recall(store, "key") is None


def test_a_block_that_is_gone_or_short_is_a_miss(store, kept):
    for block in kept.blocks():
        data = store.get(block.cid)
        store.path(block.cid).write_bytes(data[:-1])
        assert builds.recall(store, "key") is None
        store.path(block.cid).unlink()
        assert builds.recall(store, "key") is None
        store.put(data)
    assert builds.recall(store, "key") == kept


@pytest.mark.parametrize("note", [b"", b"[]", b"{}", b'{"files": [], "manifest": "x"}'])
def test_a_damaged_note_is_a_miss(store, note):
    store.remember("key", store.put(note).cid)
    assert builds.recall(store, "key") is None
