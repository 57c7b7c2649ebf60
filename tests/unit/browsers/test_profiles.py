import errno
import os
import subprocess
import sys

import pytest

from ipfs_accelerate.browsers import folders, profiles
from ipfs_accelerate.browsers.profiles import acquire
from ipfs_accelerate.errors import BrowserError, ConfigError

HOLD = """
import os, sys
from pathlib import Path
from ipfs_accelerate.browsers.profiles import acquire
slot = acquire(Path(sys.argv[1]), "chromium")
if sys.argv[2] == "fork" and os.fork() == 0:
    slot.release()  # not the child's to give
    print("forked", flush=True)
    os.close(1)
    sys.stdin.read()
    os._exit(0)
if sys.argv[2] == "fork":
    os.read(0, 1)
print(slot.path.name, flush=True)
sys.stdin.readline()
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def other(tmp_path):
    """Another Python that holds a slot."""
    started = []

    def start(kind="plain"):
        child = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path), kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(child)
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()


def test_slots_are_taken_in_order_and_found_again(tmp_path):
    first, second = acquire(tmp_path, "chromium"), acquire(tmp_path, "chromium")
    assert [first.path.name, second.path.name] == ["slot-0", "slot-1"]
    assert acquire(tmp_path, "edge").path == tmp_path / "edge" / "slot-0"
    (first.profile / "kept").write_text("warm")
    first.release()
    again = acquire(tmp_path, "chromium")
    assert again.path == first.path
    assert (again.profile / "kept").read_text() == "warm"
    for slot in (second, again):
        slot.release()


def test_release_is_idempotent_and_gives_back_only_its_own(tmp_path):
    first = acquire(tmp_path, "chromium")
    first.release()
    second = acquire(tmp_path, "chromium")
    first.release()
    assert second.held
    assert "released" in repr(first)
    assert "released" not in repr(second)
    assert acquire(tmp_path, "chromium").path.name == "slot-1"
    second.release()


def test_everything_is_this_users_alone(tmp_path):
    (tmp_path / "chromium" / "slot-0").mkdir(parents=True, mode=0o777)
    slot = acquire(tmp_path, "chromium")
    for folder in (slot.path.parent, slot.path, slot.profile, slot.temporary):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert (slot.path / "lock").stat().st_mode & 0o777 == 0o600
    slot.release()


def test_what_an_earlier_run_left_is_cleaned(tmp_path):
    slot = acquire(tmp_path, "chromium")
    (slot.temporary / "litter").write_text("x")
    (slot.profile / "SingletonLock").symlink_to("host-1")
    slot.start_file.write_text("secret")
    slot.release()
    assert not slot.temporary.exists()
    assert not slot.start_file.exists()
    (slot.path / "tmp").mkdir()
    (slot.path / "tmp" / "litter").write_text("x")
    slot.start_file.write_text("secret")
    again = acquire(tmp_path, "chromium")
    assert list(again.temporary.iterdir()) == []
    assert not again.start_file.exists()
    assert not list(again.profile.glob("Singleton*"))
    again.release()


def test_a_slot_held_elsewhere_is_passed_over_until_its_holder_dies(tmp_path, other):
    holder = other()
    assert holder.stdout.readline() == "slot-0\n"
    mine = acquire(tmp_path, "chromium")
    assert mine.path.name == "slot-1"
    holder.stdin.write("\n")
    holder.stdin.flush()
    holder.wait()
    freed = acquire(tmp_path, "chromium")
    assert freed.path.name == "slot-0"
    for slot in (mine, freed):
        slot.release()


def test_a_forked_child_neither_releases_nor_keeps_its_parents_slot(tmp_path, other):
    holder = other("fork")
    assert holder.stdout.readline() == "forked\n"
    holder.stdin.write("x")
    holder.stdin.flush()
    assert holder.stdout.readline() == "slot-0\n"
    mine = acquire(tmp_path, "chromium")
    assert mine.path.name == "slot-1"
    mine.release()
    holder.kill()
    holder.wait()
    freed = acquire(tmp_path, "chromium")  # though the child lives on
    assert freed.path.name == "slot-0"
    freed.release()


def test_when_all_are_taken_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(profiles, "MAX_SLOTS", 1)
    slot = acquire(tmp_path, "chromium")
    with pytest.raises(BrowserError, match="All 1 profiles"):
        acquire(tmp_path, "chromium")
    slot.release()


def test_a_folder_that_can_not_be_made_is_an_option_to_change(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigError, match=r"Not a folder.* `cache_dir`") as caught:
        acquire(tmp_path / "file", "chromium")
    assert str(tmp_path / "file") in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_an_option_to_change(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ConfigError, match="Permission denied"):
        acquire(tmp_path, "chromium")


def test_a_full_disk_asks_for_space(tmp_path, monkeypatch):
    def full(path, *_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(profiles, "private_folder", full)
    with pytest.raises(BrowserError, match="Free some space"):
        acquire(tmp_path, "chromium")


def test_a_disk_without_locks_is_an_option_to_change(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", no_locks)
    with pytest.raises(ConfigError, match="No locks available"):
        acquire(tmp_path, "chromium")


def test_a_slot_that_can_not_be_cleaned_is_given_back(tmp_path, monkeypatch):
    def fail(*_):
        raise BrowserError("it holds on")

    with monkeypatch.context() as patched:
        patched.setattr(profiles, "end_recorded", fail)
        with pytest.raises(BrowserError, match="it holds on"):
            acquire(tmp_path, "chromium")
    slot = acquire(tmp_path, "chromium")
    assert slot.path.name == "slot-0"
    slot.release()


def test_the_log_is_read_from_its_end(tmp_path):
    slot = acquire(tmp_path, "chromium")
    assert slot.log_tail(3) == ""
    slot.log.write_bytes(b"x" * 100_000 + b"\none\ntw\xff\nthree\n")
    assert slot.log_tail(2) == "tw\ufffd\nthree"
    slot.release()


def test_a_private_file_is_never_readable_by_others(tmp_path):
    file = tmp_path / "start.html"
    file.write_text("old")
    file.chmod(0o644)
    folders.write_private(file, "new")
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o600
