"""Playwright driving a Chromium of its own: the product's binary, with the product's flags."""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright

from ipfs_accelerate.browsers import find_browser
from ipfs_accelerate.browsers.chromium import command
from ipfs_accelerate.browsers.sandbox import sandbox_possible
from ipfs_accelerate.browsers.start import Start

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from playwright.async_api import Page as AsyncPage
    from playwright.sync_api import Page


@asynccontextmanager
async def async_page(folder: Path) -> AsyncIterator[AsyncPage]:
    """An empty page, driven from the running loop. Its profile stays in `folder`."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**_options(folder))
        try:
            yield await browser.new_page()
        finally:
            await browser.close()


@contextmanager
def sync_page(folder: Path) -> Iterator[Page]:
    """An empty page, driven from this thread, in which no loop may run."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**_options(folder))
        try:
            yield browser.new_page()
        finally:
            browser.close()


def _options(folder: Path) -> dict[str, Any]:
    installed = find_browser()
    profile = Path(mkdtemp(dir=folder))
    start = Start(
        installed=installed,
        slot=profile,
        profile=profile,
        start_file=profile / "none",
        sandbox=sandbox_possible(),
    )
    _, *flags, _ = command(start)
    return {
        "executable_path": str(installed.path),
        "ignore_default_args": True,
        "args": [*flags, "about:blank"],
    }
