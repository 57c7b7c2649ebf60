"""What an engine needs to know to start a browser, and the page that the browser opens."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import BrowserError

if TYPE_CHECKING:
    from pathlib import Path

    from ipfs_accelerate.browsers.installed import Installed


@dataclass(frozen=True, kw_only=True)
class Start:
    """One start of a browser, in a slot of its own."""

    installed: Installed
    slot: Path
    profile: Path
    start_file: Path
    headless: bool = True
    sandbox: bool = True
    flags: tuple[str, ...] = ()


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
