import platform
import sys
from importlib import metadata

import pytest

from ipfs_accelerate.doctor import system as module
from ipfs_accelerate.doctor.system import system

MEMINFO = "MemTotal:       16000000 kB\nMemFree:  1 kB\nMemAvailable:    8000000 kB\n"
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux's files")


@pytest.fixture
def root(tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text(MEMINFO)
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    return tmp_path


def limited(root, limit, used):
    (root / "sys/fs/cgroup/memory.max").write_text(f"{limit}\n")
    (root / "sys/fs/cgroup/memory.current").write_text(f"{used}\n")


@linux_only
def test_memory_is_the_machines(root):
    found = system(root)
    assert (found.memory_mb, found.free_mb) == (16_384, 8_192)
    assert not found.container
    assert found.shm_mb is None


@linux_only
def test_memory_is_the_containers_where_that_has_less(root):
    limited(root, 2_000_000_000, 1_500_000_000)
    found = system(root)
    assert (found.memory_mb, found.free_mb) == (2_000, 500)
    limited(root, "max", 5)
    assert system(root).memory_mb == 16_384


@linux_only
def test_unknown_memory_is_unknown(tmp_path):
    found = system(tmp_path)
    assert (found.memory_mb, found.free_mb) == (None, None)


def test_a_mac_tells_its_memory_by_its_own_programs(monkeypatch, tmp_path):
    answers = {
        "sysctl": "17179869184\n",
        "vm_stat": "(page size of 16384 bytes)\nPages free: 100000.\nPages inactive:  100000.\n",
    }
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr(module, "_output", lambda program, *_: answers[program])
    found = system(tmp_path)
    assert (found.memory_mb, found.free_mb) == (17_179, 3_276)


def test_a_container_is_known_by_its_marks(root):
    (root / ".dockerenv").touch()
    assert system(root).container


def test_this_machine_tells_what_it_is():
    found = system()
    assert found.python == platform.python_version()
    assert found.cores >= 1
    assert found.os
    assert module._output("no-such-program-of-any-system") == ""


def test_native_runtimes_are_told_with_their_versions(monkeypatch):
    def version(name):
        if name == "onnxruntime":
            return "1.30.0"
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "version", version)
    assert system().packages == {"onnxruntime": "1.30.0"}
