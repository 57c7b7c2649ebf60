"""The browsers that can be used, and how each is had. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.doctor.facts import Missing

if TYPE_CHECKING:
    from collections.abc import Collection

_LINUX = {
    "chrome": "the package from https://www.google.com/chrome",
    "chromium": "apt install chromium, or dnf install chromium",
    "edge": "the package from https://www.microsoft.com/edge",
    "firefox": "apt install firefox-esr, or dnf install firefox (no snap)",
    "portable": "ipfs-accelerate browser install",
}
_MACOS = {
    "chrome": "brew install --cask google-chrome",
    "chromium": "brew install --cask chromium",
    "edge": "brew install --cask microsoft-edge",
    "firefox": "brew install --cask firefox",
}


def missing(names: Collection[str], found: Collection[str], platform: str) -> tuple[Missing, ...]:
    """List those of `names` that were not found, with the way to each on this platform."""
    ways = _MACOS if platform == "darwin" else _LINUX
    return tuple(
        Missing(name=name, get=ways[name]) for name in names if name in ways and name not in found
    )
