"""Signs of a GPU that can be seen without a driver; what works, only a browser can measure."""

from __future__ import annotations

import sys
from pathlib import Path

_ROOT = Path("/")
_NODES = ("dev/dri/renderD*", "dev/nvidia[0-9]*", "dev/kfd", "dev/dxg")
_CARDS = "sys/class/drm/renderD*/device"
_DRIVERS = ("usr/share/vulkan/icd.d/*.json", "etc/vulkan/icd.d/*.json")


def sign_of_gpu() -> bool:
    """Whether there may be a GPU here: on Linux by its device files; every Mac has one."""
    if sys.platform == "darwin":
        return True
    return any(True for pattern in _NODES for _ in _ROOT.glob(pattern))


def gpus() -> tuple[str, ...]:
    """What the GPUs and their drivers are known by: another set may need another rung."""
    return tuple(sorted({*_nodes(), *_cards(), *_drivers()}))


def _nodes() -> list[str]:
    return [str(node) for pattern in _NODES for node in _ROOT.glob(pattern)]


def _cards() -> list[str]:
    """The vendor and device of each, since a node's number may become another's."""
    return [
        f"{_id(card / 'vendor')}:{_id(card / 'device')} {card.parent.name}"
        for card in _ROOT.glob(_CARDS)
    ]


def _drivers() -> list[str]:
    """The Vulkan drivers: one that is installed later may make a rung work that did not."""
    return [str(driver) for pattern in _DRIVERS for driver in _ROOT.glob(pattern)]


def _id(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return "?"
