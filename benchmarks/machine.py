"""What the figures were measured on: the machine, and the version of each part that takes part."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from ipfs_accelerate.browsers import find_browser

RUNTIME = Path(__file__).parents[1] / "js" / "node_modules" / "onnxruntime-web"
PACKAGES = ("ipfs-accelerate", "numpy", "tokenizers", "uvicorn", "websockets", "playwright")


def describe() -> dict[str, Any]:
    """The machine and the versions, in words; no name and no path of this machine."""
    runtime = json.loads((RUNTIME / "package.json").read_text("utf-8"))
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(_memory_bytes() / 1e9, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "browser": _browser(),
        "onnxruntime-web": runtime["version"],
        **{name: metadata.version(name) for name in PACKAGES},
    }


def load() -> float:
    """How busy the machine is: its processes that ran or wanted to, over the last minute."""
    return round(os.getloadavg()[0], 2)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _browser() -> str:
    asked = [str(find_browser().path), "--version"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
