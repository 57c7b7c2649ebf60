from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.blocks import BlockStore
from ipfs_accelerate.models.cid import cid_of
from ipfs_accelerate.models.manifest import Block


@pytest.fixture
def store(tmp_path):
    return BlockStore(tmp_path / "store")


def test_a_block_comes_back(store):
    block = store.put(b"hello world")
    assert block == Block(cid_of(b"hello world"), 11)
    assert store.has(block.cid)
    assert store.holds(block)
    assert store.size(block.cid) == 11
    assert store.get(block.cid) == bytes(store.view(block.cid)) == b"hello world"
    assert store.path(block.cid).name == block.cid


def test_making_a_store_makes_no_folder(tmp_path):
    store = BlockStore(tmp_path / "store")
    assert not store.has(cid_of(b""))
    assert store.recall("key") is None
    assert list(tmp_path.iterdir()) == []


def test_an_empty_block_is_a_block(store):
    block = store.put(b"")
    assert store.get(block.cid) == bytes(store.view(block.cid)) == b""


def test_a_view_is_read_only(store):
    assert store.view(store.put(b"abc").cid).readonly


def test_a_memoryview_of_wide_items_counts_bytes(store):
    data = memoryview(bytes(16)).cast("q")
    assert store.put(data) == store.put(bytes(16))


def test_a_block_that_is_there_is_not_written_again(store):
    path = store.path(store.put(b"abc").cid)
    before = path.stat()
    store.put(b"abc")
    assert path.stat().st_ino == before.st_ino


def test_a_short_block_is_written_again(store):
    block = store.put(b"hello world")
    store.path(block.cid).write_bytes(b"hello")
    assert not store.holds(block)
    store.put(b"hello world")
    assert store.get(block.cid) == b"hello world"


def test_a_damaged_block_is_removed_and_can_be_made_again(store):
    block = store.put(b"hello world")
    store.path(block.cid).write_bytes(b"hello_world")
    with pytest.raises(ModelError, match="was damaged on disk") as caught:
        store.get(block.cid)
    assert caught.value.retryable
    assert not store.has(block.cid)
    store.put(b"hello world")
    assert store.get(block.cid) == b"hello world"


@pytest.mark.parametrize("read", ["get", "view", "size"])
def test_a_missing_block_says_so(store, read):
    with pytest.raises(ModelError, match="is not in") as caught:
        getattr(store, read)(cid_of(b"missing"))
    assert caught.value.code == "block_unavailable"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "", ".", "a/b"])
@pytest.mark.parametrize("use", ["get", "view", "size", "has", "path"])
def test_only_a_cid_becomes_a_file_name(store, use, name):
    with pytest.raises(ModelError, match="is not the CID"):
        getattr(store, use)(name)


def test_the_index_leads_from_a_key_to_a_cid(store):
    cid = store.put(b"manifest").cid
    store.remember("a model / v1", cid)
    assert store.recall("a model / v1") == cid
    assert store.recall("a model / v2") is None
    other = store.put(b"other").cid
    store.remember("a model / v1", other)
    assert store.recall("a model / v1") == other


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b"\xff\xfe",
        b'{"key": "k", "cid": "../x"}',
        b'{"key": "k", "cid": 1}',
        b'{"key": "other", "cid": ""}',
    ],
)
def test_a_damaged_note_is_a_miss(store, damage):
    store.remember("k", cid_of(b"x"))
    (entry,) = (store.root / "index").iterdir()
    entry.write_bytes(damage)
    assert store.recall("k") is None


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="could not be written") as caught:
        BlockStore(tmp_path / "file").put(b"abc")
    assert "another folder" in str(caught.value)


def test_a_failed_write_leaves_nothing(store):
    store.put(b"first")
    target = store.path(cid_of(b"second"))
    target.mkdir()  # a folder in the way: the rename fails
    with pytest.raises(ModelError):
        store.put(b"second")
    assert list((store.root / "writing").iterdir()) == []


def test_what_a_killed_process_left_is_swept(store):
    store.put(b"abc")
    old, new = (store.root / "writing" / name for name in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"half")
    long_ago = time.time() - 7200
    os.utime(old, (long_ago, long_ago))
    BlockStore(store.root).put(b"def")
    assert not old.exists()
    assert new.exists()


def test_many_threads_put_the_same_blocks(store):
    datas = [bytes([n % 5]) * 100_000 for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        blocks = list(pool.map(store.put, datas))
    assert [store.get(block.cid) for block in blocks] == datas
    assert list((store.root / "writing").iterdir()) == []


def _put_until_killed(root, ready):
    store = BlockStore(root)
    number = 0
    while True:
        store.put(number.to_bytes(4, "little") * 250_000)
        number += 1
        if number == 3:
            ready.set()


def test_a_killed_writer_leaves_only_whole_blocks(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    processes = [
        context.Process(target=_put_until_killed, args=(tmp_path, ready)) for _ in range(2)
    ]
    for process in processes:
        process.start()
    assert ready.wait(60)
    for process in processes:
        process.kill()
        process.join()
    store = BlockStore(tmp_path)
    names = [path.name for path in (tmp_path / "blocks").iterdir()]
    assert len(names) >= 3
    assert all(len(store.get(name)) == 1_000_000 for name in names)
