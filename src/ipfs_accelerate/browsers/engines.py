"""What every engine's file has to say, and which engine a browser has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ipfs_accelerate.browsers import chromium, firefox

if TYPE_CHECKING:
    from ipfs_accelerate.browsers.installed import EngineName
    from ipfs_accelerate.browsers.start import Start


class Engine(Protocol):
    """How the browsers of one engine are told to start. Its files are modules of this shape."""

    def command(self, start: Start, /) -> list[str]:
        """Give what to run: a program that ends when its descriptor 3 comes to its end."""

    def prepare(self, start: Start, /) -> None:
        """Write into the profile what the command line can't say."""

    def environment(self, start: Start, /) -> dict[str, str]:
        """Give the variables that it needs beside those that every browser gets."""


ENGINES: dict[EngineName, Engine] = {"chromium": chromium, "firefox": firefox}
