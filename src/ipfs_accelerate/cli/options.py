"""The options that every subcommand with a browser takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

BrowserOption = Annotated[
    str | None,
    typer.Option(help="chrome, chromium, edge, firefox or portable; by default the first found."),
]
BrowserPathOption = Annotated[Path | None, typer.Option(help="The browser's program.")]
ThreadsOption = Annotated[int | None, typer.Option(help="WASM threads; by default every core.")]
PortOption = Annotated[
    int | None, typer.Option("--port", help="The port on loopback; 0 takes any free one.")
]
VisibleOption = Annotated[bool, typer.Option("--visible", help="Show the browser's window.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, whatever is listening.")]
