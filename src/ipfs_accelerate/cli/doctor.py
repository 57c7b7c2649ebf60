"""`ipfs-accelerate doctor`: what runs here, on what, and what is missing."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ipfs_accelerate.browsers import find_browser, installed_browsers
from ipfs_accelerate.browsers.find import NAMES, VARIABLE
from ipfs_accelerate.cli import options
from ipfs_accelerate.cli.terminal import errors, output
from ipfs_accelerate.config import Config
from ipfs_accelerate.doctor.gather import Examined, gather
from ipfs_accelerate.doctor.report import report
from ipfs_accelerate.doctor.sections import Section, plain, sections
from ipfs_accelerate.errors import BrowserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ipfs_accelerate.browsers import Installed

_COLOURS = {"good": "green", "note": "blue", "warning": "yellow", "error": "bold red"}


def doctor(
    *,
    browser: options.BrowserOption = None,
    browser_path: options.BrowserPathOption = None,
    visible: options.VisibleOption = False,
    quick: Annotated[bool, typer.Option("--quick", help="Start no browser.")] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Say what runs here, on what, and what is missing.

    Starts each browser in each of its ways and measures it: some seconds for each. Ends with 0
    where at least one browser works (with --quick: is there), else with 1.
    """
    given = {"browser": browser, "browser_path": browser_path}
    config = Config.of(headless=not visible, **given)
    examined = _examined(config, quick=quick)
    with _shown() as starting:
        facts = asyncio.run(gather(examined, starting))
    if as_json:
        sys.stdout.write(json.dumps(report(facts), indent=2) + "\n")
    else:
        _print(sections(facts))
    raise typer.Exit(0 if facts.works else 1)


def _examined(config: Config, *, quick: bool) -> Examined:
    from ipfs_accelerate.pool.measure import measure, ways  # noqa: PLC0415 - `--help` need not wait

    found, trouble = _found(config)
    return Examined(
        found=found,
        names=NAMES if config.browser is None else (config.browser,),
        folder=config.folder,
        ways=partial(ways, headless=config.headless),
        measure=None if quick else partial(measure, config),
        trouble=trouble,
    )


def _found(config: Config) -> tuple[list[Installed], str]:
    """Those to look at; and what is wrong with the variable that names one."""
    if config.browser_path is not None:
        return [find_browser(config.browser, config.browser_path)], ""
    here = installed_browsers()
    if config.browser is not None:
        return [one for one in here if one.name == config.browser], ""
    if VARIABLE not in os.environ:
        return here, ""
    try:
        named = find_browser()
    except BrowserError as error:
        return here, str(error)
    return [named, *(one for one in here if one.path != named.path)], ""


@contextmanager
def _shown() -> Iterator[Callable[[Any, Any], None]]:
    """Tell of each start while it lasts, on a terminal."""
    if not sys.stderr.isatty():
        yield lambda _found, _way: None
        return
    with errors().status("Looking around") as status:
        yield lambda found, way: status.update(
            Text(f"Measuring {found.name} ({way.name}: {way.about})")
        )


def _print(tables: list[Section]) -> None:
    if not sys.stdout.isatty():
        sys.stdout.writelines(f"{line}\n" for line in plain(tables))
        return
    console = output()
    for table in tables:
        console.print(Text(table.title, style="bold"))
        console.print(_rich(table))
        console.print()


def _rich(section: Section) -> Table:
    table = Table(box=None, header_style="dim", show_header=bool(section.columns), padding=(0, 1))
    for column in section.columns or section.rows[0]:
        table.add_column(column)
    for first, *others in section.rows:
        style = _COLOURS.get(first, "" if section.columns else "dim")
        table.add_row(Text(first, style=style), *map(Text, others))
    return table
