"""Finds a browser that is installed here."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ipfs_accelerate.browsers.places import Candidate, Name, candidates
from ipfs_accelerate.errors import BrowserError

VARIABLE = "IPFS_ACCELERATE_BROWSER"
NAMES: tuple[Name, ...] = get_args(Name)

_HOW_TO_GET = {
    "linux": "Install one, for example with `apt install chromium` or `dnf install chromium`",
    "darwin": "Install one, for example with `brew install --cask google-chrome`",
}


@dataclass(frozen=True)
class Installed:
    """A browser that can be started: the program at `path`, which takes `engine`'s flags."""

    name: Name
    engine: Literal["chromium"]
    path: Path


def find_browser(name: str | None = None, path: str | Path | None = None) -> Installed:
    """Find the browser at `path`, or the first one installed (that is called `name`).

    Without a name: Chrome, Chromium, Edge, then their betas. `IPFS_ACCELERATE_BROWSER` names a
    path where neither argument is given.
    """
    _refuse_platform(sys.platform)
    known = None if name is None else _known(name)
    if path is not None:
        return _at(Path(path), known, "The option `browser_path`")
    if known is None and (named := os.environ.get(VARIABLE)):
        return _at(Path(named), None, f"The variable {VARIABLE}")
    found = installed_browsers()
    for browser in found:
        if known in (None, browser.name):
            return browser
    raise _none_found(known, found)


def installed_browsers() -> list[Installed]:
    """Every browser found in the usual places, best first."""
    tried = candidates(sys.platform, os.environ, shutil.which)
    return [
        Installed(each.name, "chromium", each.path)
        for each in tried
        if _is_program(each.path) and not _is_snap(each.path)
    ]


def _refuse_platform(platform: str) -> None:
    if platform.startswith("linux") or platform == "darwin":
        return
    raise BrowserError(
        f"Starting a browser isn't supported yet on this platform ({platform}).",
        code="browser_not_found",
        hint="Run on Linux or macOS; on Windows, WSL is Linux.",
    )


def _known(name: str) -> Name:
    for each in NAMES:
        if name.lower() == each:
            return each
    near = difflib.get_close_matches(name.lower(), NAMES, n=1)
    guess = f"Did you mean {near[0]!r}? " if near else ""
    raise BrowserError(
        f"No browser is called {name!r}.",
        code="browser_not_found",
        hint=f"{guess}The names are {', '.join(NAMES)}.",
    )


def _at(path: Path, name: Name | None, source: str) -> Installed:
    path = path.expanduser()
    if fault := _fault(path):
        others = installed_browsers()
        raise BrowserError(
            f"{source} names a browser at {path}, which {fault}.",
            code="browser_not_found",
            hint=f"{_what_is_there(others)} Name another path, or none to take what is found.",
        )
    return Installed(name or _name_of(path), "chromium", path.absolute())


def _fault(path: Path) -> str | None:
    if not path.exists():
        return "does not exist"
    if not path.is_file():
        return "is not a file"
    if not os.access(path, os.X_OK):
        return "is not executable"
    if "firefox" in path.name.lower() or "safari" in path.name.lower():
        return "is no Chrome, Chromium or Edge; no other kind is supported yet"
    return None


def _name_of(path: Path) -> Name:
    """Chromium's own name is the answer for what calls itself nothing known."""
    file = path.name.lower()
    if "edge" in file:
        return "edge"
    return "chrome" if "chrome" in file else "chromium"


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _is_snap(path: Path) -> bool:
    """Know a snap, which may not read hidden folders, where the profiles are."""
    if path.resolve() == Path("/usr/bin/snap"):
        return True
    with path.open("rb") as program:
        start = program.read(4096)
    return start.startswith(b"#!") and b"/snap/bin/" in start


def _none_found(name: Name | None, found: list[Installed]) -> BrowserError:
    tried = candidates(sys.platform, os.environ, shutil.which)
    places = [str(each.path) for each in tried if name in (None, each.name)]
    snaps = [each for each in tried if _is_program(each.path) and _is_snap(each.path)]
    also = f" {_about_snap(snaps[0])}" if snaps else ""
    wanted = f"The browser {name!r} was" if name else "No browser was"
    return BrowserError(
        f"{wanted} {'not ' if name else ''}found; looked at {', '.join(places)}.{also}",
        code="browser_not_found",
        hint=f"{_what_is_there(found)} {_HOW_TO_GET[_family()]}, or name its path in {VARIABLE}.",
    )


def _about_snap(snap: Candidate) -> str:
    return f"{snap.path} is a snap, which can't read the folder of the profiles."


def _what_is_there(found: list[Installed]) -> str:
    if not found:
        return "No other browser is here."
    return f"Found here: {', '.join(f'{each.name} at {each.path}' for each in found)}."


def _family() -> str:
    return "darwin" if sys.platform == "darwin" else "linux"
