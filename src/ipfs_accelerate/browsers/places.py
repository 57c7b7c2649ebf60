"""Where browsers are put by their installers, as data, in the order in which they are tried."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Name = Literal["chrome", "chromium", "edge", "firefox", "portable"]


@dataclass(frozen=True)
class Candidate:
    """A browser that may be at `path`."""

    name: Name
    path: Path


# The programs themselves stand before what PATH leads to: that is often a shell script which adds
# keys, extensions and a window to the command line.
_LINUX: tuple[tuple[Name, str], ...] = (
    ("chrome", "/opt/google/chrome/chrome"),
    ("chrome", "google-chrome-stable"),
    ("chrome", "google-chrome"),
    ("chromium", "/usr/lib/chromium/chromium"),
    ("chromium", "/usr/lib64/chromium-browser/chromium-browser"),
    ("chromium", "/usr/lib64/chromium/chromium"),
    ("chromium", "/usr/lib/chromium-browser/chromium-browser"),
    ("chromium", "chromium"),
    ("chromium", "chromium-browser"),
    ("edge", "/opt/microsoft/msedge/msedge"),
    ("edge", "microsoft-edge-stable"),
    ("chrome", "/opt/google/chrome-beta/chrome"),
    ("chrome", "/opt/google/chrome-unstable/chrome"),
    ("chrome", "/opt/google/chrome-canary/chrome"),
    ("edge", "/opt/microsoft/msedge-beta/msedge"),
    ("edge", "/opt/microsoft/msedge-dev/msedge"),
    ("firefox", "/usr/lib/firefox/firefox"),
    ("firefox", "/usr/lib64/firefox/firefox"),
    ("firefox", "/opt/firefox/firefox"),
    ("firefox", "/usr/lib/firefox-esr/firefox-esr"),
    ("firefox", "firefox"),
    ("firefox", "firefox-esr"),
)

# The application, and its program, which Chrome and its kin call as the application is called.
_MACOS: tuple[tuple[Name, str, str], ...] = (
    ("chrome", "Google Chrome", "Google Chrome"),
    ("chromium", "Chromium", "Chromium"),
    ("edge", "Microsoft Edge", "Microsoft Edge"),
    ("chrome", "Google Chrome Beta", "Google Chrome Beta"),
    ("chrome", "Google Chrome Dev", "Google Chrome Dev"),
    ("chrome", "Google Chrome Canary", "Google Chrome Canary"),
    ("edge", "Microsoft Edge Beta", "Microsoft Edge Beta"),
    ("edge", "Microsoft Edge Dev", "Microsoft Edge Dev"),
    ("firefox", "Firefox", "firefox"),
    ("firefox", "Firefox Developer Edition", "firefox"),
    ("firefox", "Firefox Nightly", "firefox"),
)


def candidates(
    platform: str, environ: Mapping[str, str], which: Callable[[str], str | None]
) -> list[Candidate]:
    """List what to try on `platform` (a value of sys.platform), best first; nothing is opened."""
    if platform.startswith("linux"):
        return list(_on_linux(which))
    if platform == "darwin":
        return list(_on_macos(environ))
    return []


def _on_linux(which: Callable[[str], str | None]) -> Iterator[Candidate]:
    for name, place in _LINUX:
        path = place if place.startswith("/") else which(place)
        if path:
            yield Candidate(name, Path(path))


def _on_macos(environ: Mapping[str, str]) -> Iterator[Candidate]:
    folders = [Path("/Applications")]
    if home := environ.get("HOME"):
        folders.append(Path(home) / "Applications")
    for name, app, program in _MACOS:
        for folder in folders:
            yield Candidate(name, folder / f"{app}.app" / "Contents" / "MacOS" / program)
