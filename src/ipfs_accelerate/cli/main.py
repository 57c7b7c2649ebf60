"""The command's entry: its subcommands, and how errors and interrupts end it."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.text import Text

import ipfs_accelerate
from ipfs_accelerate.cli import browser
from ipfs_accelerate.cli.demo import demo
from ipfs_accelerate.cli.doctor import doctor
from ipfs_accelerate.cli.embed import embed
from ipfs_accelerate.cli.run import run
from ipfs_accelerate.cli.share import share
from ipfs_accelerate.cli.terminal import errors
from ipfs_accelerate.cli.validate import validate
from ipfs_accelerate.errors import AccelerateError

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130
TERMINATED = 143

app = typer.Typer(
    name="ipfs-accelerate",
    help="Run models on a real browser's hardware.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(embed)
app.command()(run)
app.command()(validate)
app.command()(share)
app.command()(demo)
app.command()(doctor)
app.add_typer(browser.app, name="browser", no_args_is_help=True)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ipfs-accelerate {ipfs_accelerate.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which one.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command. An error of ours is a line or two, not a traceback."""
    signal.signal(signal.SIGTERM, _terminated)
    try:
        app()
    except AccelerateError as error:
        # As Text, since a shape or a path in brackets would be read as a style.
        errors().print(f"[bold red]error[/] [dim]{error.code}[/]", Text(error.message))
        if error.hint:
            errors().print(Text(error.hint))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _terminated(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Unwind, so that the browser is ended in order."""
    sys.exit(TERMINATED)
