"""Finds a browser that is installed here."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

from ipfs_accelerate.browsers import portable
from ipfs_accelerate.browsers.installed import Installed, engine_of
from ipfs_accelerate.browsers.places import Candidate, Name, candidates
from ipfs_accelerate.errors import BrowserError

VARIABLE = "IPFS_ACCELERATE_BROWSER"
NAMES: tuple[Name, ...] = get_args(Name)

_HOW_TO_GET = {
    "linux": "Install one, for example with `apt install chromium` or `dnf install chromium`",
    "darwin": "Install one, for example with `brew install --cask google-chrome`",
}


def find_browser(name: str | None = None, path: str | Path | None = None) -> Installed:
    """Find the browser at `path`, or the first one installed (that is called `name`).

    Without a name: Chrome, Chromium, Edge, then their betas, Firefox, and the portable browser,
    whose `notice` then says so. `IPFS_ACCELERATE_BROWSER` gives a name or a path where neither
    argument does.
    """
    _refuse_platform(sys.platform)
    known = None if name is None else _known(name)
    if path is not None:
        return _at(Path(path), known, "The option `browser_path`")
    if known is None and (named := os.environ.get(VARIABLE)):
        if named.lower() not in NAMES:
            return _at(Path(named), None, f"The variable {VARIABLE}")
        known = _known(named)
    found = installed_browsers()
    for browser in found:
        if known is None and browser.name == "portable":
            return replace(browser, notice=portable.NOTICE)
        if known in (None, browser.name):
            return browser
    raise _none_found(known, found)


def installed_browsers() -> list[Installed]:
    """Every browser found in the usual places, best first, and each once."""
    tried = [*candidates(sys.platform, os.environ, shutil.which), portable.candidate()]
    found: dict[Path, Installed] = {}
    for each in tried:
        if _is_program(each.path) and not _is_snap(each.path):
            named = any(each.name == other.name for other in found.values())
            if not (named and _is_script(each.path)):  # it only leads to what is there already
                browser = Installed(each.name, engine_of(each.name), each.path)
                found.setdefault(each.path.resolve(), browser)
    return list(found.values())


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
    called = name or _name_of(path)
    return Installed(called, engine_of(called), path.absolute())


def _fault(path: Path) -> str | None:
    if not path.exists():
        return "does not exist"
    if not path.is_file():
        return "is not a file"
    if not os.access(path, os.X_OK):
        return "is not executable"
    if "safari" in path.name.lower():
        return "is no Chrome, Chromium, Edge or Firefox; no other kind is supported yet"
    return None


def _name_of(path: Path) -> Name:
    """Chromium's own name is the answer for what calls itself nothing known."""
    if portable.is_portable(path):
        return "portable"
    file = path.name.lower()
    if "edge" in file:
        return "edge"
    if "firefox" in file:
        return "firefox"
    return "chrome" if "chrome" in file else "chromium"


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _is_script(path: Path) -> bool:
    with path.open("rb") as program:
        return program.read(2) == b"#!"


def _is_snap(path: Path) -> bool:
    """Know a snap, which may not read hidden folders, where the profiles are."""
    if path.resolve() == Path("/usr/bin/snap"):
        return True
    with path.open("rb") as program:
        start = program.read(4096)
    return start.startswith(b"#!") and b"/snap/bin/" in start


def _none_found(name: Name | None, found: list[Installed]) -> BrowserError:
    if name == "portable":
        return portable.missing()
    tried = candidates(sys.platform, os.environ, shutil.which)
    places = [str(each.path) for each in tried if name in (None, each.name)]
    snaps = [each for each in tried if _is_program(each.path) and _is_snap(each.path)]
    also = f" {_about_snap(snaps[0])}" if snaps else ""
    wanted = f"The browser {name!r} was" if name else "No browser was"
    return BrowserError(
        f"{wanted} {'not ' if name else ''}found; looked at {', '.join(places)}.{also}",
        code="browser_not_found",
        hint=f"{_what_is_there(found)} {_how_to_get(name)}, or name its path in {VARIABLE}.",
    )


def _how_to_get(name: Name | None) -> str:
    if name is None and portable.supported():
        return f"{_HOW_TO_GET[_family()]}, take the portable one by `{portable.COMMAND}`"
    return _HOW_TO_GET[_family()]


def _about_snap(snap: Candidate) -> str:
    return f"{snap.path} is a snap, which can't read the folder of the profiles."


def _what_is_there(found: list[Installed]) -> str:
    if not found:
        return "No other browser is here."
    return f"Found here: {', '.join(f'{each.name} at {each.path}' for each in found)}."


def _family() -> str:
    return "darwin" if sys.platform == "darwin" else "linux"
