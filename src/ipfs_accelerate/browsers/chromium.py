"""How Chromium and its kin are told to start: a command line, and the page that they open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import BrowserError

if TYPE_CHECKING:
    from pathlib import Path

    from ipfs_accelerate.browsers.find import Installed

# Where the browser looks for the pipe: it reads from the first and writes to the second.
PIPE_FDS = (3, 4)

_ALWAYS = (
    # Held open and never spoken to: the browser ends when the other end of it is closed.
    "--remote-debugging-pipe",
    # A page that nobody looks at still has work to do.
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    # It talks to nobody but its page.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-quic",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-pings",
    # It asks nothing, and brings nothing of its own.
    "--disable-breakpad",
    "--disable-default-apps",
    "--disable-extensions",
    "--hide-crash-restore-bubble",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--password-store=basic",
    "--use-mock-keychain",
)


def command(
    installed: Installed, profile: Path, start_file: Path, *, headless: bool, sandbox: bool
) -> list[str]:
    """Give the program and its arguments. Every local user can read them: they hold no secret."""
    return [
        str(installed.path),
        *(["--headless"] if headless else []),
        *([] if sandbox else ["--no-sandbox"]),
        *_ALWAYS,
        f"--user-data-dir={profile}",
        start_file.as_uri(),
    ]


def start_page(url: str) -> str:
    """Write a page that goes on to `url`, and so keeps its secret off the command line."""
    if not url.startswith(("http://", "https://")):
        raise BrowserError(
            f"A browser can't be sent to {url.partition('#')[0]!r}, which is no web address.",
            hint="Give an address that starts with http:// or https://.",
        )
    # Inside a script element only `</` and `<!--` could end or change the string.
    literal = json.dumps(url).replace("<", "\\u003c")
    return f'<!doctype html><meta charset="utf-8"><script>location.replace({literal})</script>\n'
