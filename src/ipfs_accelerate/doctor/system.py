"""Reads what this machine and this Python are."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from ipfs_accelerate.doctor.facts import System

RUNTIMES = (
    "onnxruntime",
    "onnxruntime-gpu",
    "onnxruntime-directml",
    "onnxruntime-openvino",
    "onnxruntime-webgpu",
)
_MB = 1_000_000
_ROOT = Path("/")
_CONTAINER_MARKS = (".dockerenv", "run/.containerenv")
_CGROUP = "sys/fs/cgroup"
_ENOUGH_S = 10.0


def system(root: Path = _ROOT) -> System:
    """Give the machine's facts; `root` is where its files are."""
    total, free = _memory(root)
    return System(
        os=_os_name(),
        machine=platform.machine(),
        python=platform.python_version(),
        executable=sys.executable,
        cores=_cores(),
        memory_mb=total,
        free_mb=free,
        shm_mb=_size_mb(root / "dev/shm"),
        container=any((root / mark).exists() for mark in _CONTAINER_MARKS),
        packages=_packages(),
    )


def _os_name() -> str:
    if not sys.platform.startswith("linux"):
        return platform.platform(terse=True)
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = "Linux"
    return f"{name}, kernel {platform.release()}"


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _packages() -> dict[str, str]:
    found = {}
    for name in RUNTIMES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _memory(root: Path) -> tuple[int | None, int | None]:
    if sys.platform == "darwin":
        return _memory_of_mac()
    total, free = _meminfo(root / "proc/meminfo")
    limit, used = _cgroup(root / _CGROUP)
    if total is None or limit is None or limit >= total:
        return total, free
    # A container's own limit ends a browser long before the machine is full.
    return limit, min(free or limit, max(0, limit - used))


def _meminfo(file: Path) -> tuple[int | None, int | None]:
    text = _read(file)
    kilobytes = dict(re.findall(r"^(\w+):\s+(\d+) kB$", text, re.MULTILINE))

    def megabytes(name: str) -> int | None:
        return int(kilobytes[name]) * 1024 // _MB if name in kilobytes else None

    return megabytes("MemTotal"), megabytes("MemAvailable")


def _cgroup(folder: Path) -> tuple[int | None, int]:
    limit, used = _read(folder / "memory.max").strip(), _read(folder / "memory.current").strip()
    if not limit.isdigit():  # none, or `max`
        return None, 0
    return int(limit) // _MB, int(used or 0) // _MB


def _memory_of_mac() -> tuple[int | None, int | None]:
    total = _output("sysctl", "-n", "hw.memsize").strip()
    pages = _output("vm_stat")
    size = re.search(r"page size of (\d+)", pages)
    counts = [re.search(rf"Pages {kind}:\s+(\d+)", pages) for kind in ("free", "inactive")]
    free = sum(int(each[1]) for each in counts if each) * int(size[1]) // _MB if size else None
    return int(total) // _MB if total.isdigit() else None, free


def _output(*words: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - programs of the system, with fixed arguments
            words, capture_output=True, text=True, check=False, timeout=_ENOUGH_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _size_mb(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).total // _MB
    except OSError:
        return None


def _read(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
