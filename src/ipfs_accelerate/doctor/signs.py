"""Looks for signs of GPUs and NPUs; what works, only a browser can measure."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from ipfs_accelerate.doctor.facts import Node, Signs

_ROOT = Path("/")
_NODES = ("dev/dri/renderD*", "dev/nvidia[0-9]*", "dev/kfd", "dev/dxg", "dev/accel/accel*")
_VULKAN = ("usr/share/vulkan/icd.d/*.json", "etc/vulkan/icd.d/*.json")
_CARD = re.compile(r"vga|3d controller|display controller|processing accelerators", re.IGNORECASE)
_ENOUGH_S = 10.0


def signs(root: Path = _ROOT) -> Signs:
    """Give what is seen; `root` is where the machine's files are."""
    return Signs(nodes=_nodes(root), cards=_cards(), vulkan=_vulkan(root))


def _nodes(root: Path) -> tuple[Node, ...]:
    found = sorted(node for pattern in _NODES for node in root.glob(pattern))
    return tuple(Node(path=str(node), usable=os.access(node, os.R_OK | os.W_OK)) for node in found)


def _vulkan(root: Path) -> tuple[str, ...]:
    """The drivers' files are called after them, such as radeon_icd.x86_64.json."""
    files = [file for pattern in _VULKAN for file in root.glob(pattern)]
    return tuple(sorted({file.name.partition(".")[0].removesuffix("_icd") for file in files}))


def _cards() -> tuple[str, ...]:
    if sys.platform == "darwin":
        return cards_of_mac(_output("system_profiler", "SPDisplaysDataType"))
    return cards_of_lspci(_output("lspci"))


def cards_of_lspci(text: str) -> tuple[str, ...]:
    """Pick the graphics cards out of what `lspci` prints."""
    lines = (line.partition(" ")[2] for line in text.splitlines())
    return tuple(line for line in lines if _CARD.match(line))


def cards_of_mac(text: str) -> tuple[str, ...]:
    """Pick the graphics cards out of what `system_profiler` prints."""
    return tuple(re.findall(r"^\s*Chipset Model: (.+)$", text, re.MULTILINE))


def _output(*words: str) -> str:
    program = shutil.which(words[0], path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603 - a program of the system, with fixed arguments
            [program, *words[1:]], capture_output=True, text=True, check=False, timeout=_ENOUGH_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
