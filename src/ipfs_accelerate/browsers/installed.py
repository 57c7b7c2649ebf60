"""A browser that is installed here: where it is, whose flags it takes, and which version it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from ipfs_accelerate.browsers.version import version_of

if TYPE_CHECKING:
    from pathlib import Path

    from ipfs_accelerate.browsers.places import Name

EngineName = Literal["chromium", "firefox"]


@dataclass(frozen=True)
class Installed:
    """A browser that can be started: the program at `path`, which takes `engine`'s flags."""

    name: Name
    engine: EngineName
    path: Path
    notice: str = field(default="", compare=False)
    """What its user should be told once, where it was taken although nobody asked for it."""

    @cached_property
    def version(self) -> str:
        """Its version as it says itself, such as 156.0.8078.79; empty where it says none."""
        return version_of(self.path)


def engine_of(name: Name) -> EngineName:
    """Whose flags the browser of this name takes."""
    return "firefox" if name == "firefox" else "chromium"
