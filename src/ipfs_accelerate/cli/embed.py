"""`ipfs-accelerate embed`: texts in, vectors out."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from ipfs_accelerate.cli import options
from ipfs_accelerate.cli.terminal import accelerator, milliseconds, output
from ipfs_accelerate.errors import InferenceError
from ipfs_accelerate.models.catalog import DEFAULT

if TYPE_CHECKING:
    from ipfs_accelerate.result import Result

SHOWN = 4


def embed(
    texts: Annotated[
        list[str] | None, typer.Argument(help="The texts; without any, the lines of stdin.")
    ] = None,
    *,
    model: Annotated[str, typer.Option(help="A text embedding model.")] = DEFAULT,
    as_json: options.JsonOption = False,
    browser: options.BrowserOption = None,
    browser_path: options.BrowserPathOption = None,
    threads: options.ThreadsOption = None,
    port: options.PortOption = None,
    visible: options.VisibleOption = False,
) -> None:
    """Turn texts into vectors.

    On a terminal a table with the first numbers of each; piped, or with --json, a line of JSON
    for each text: {"text": ..., "embedding": [...]}.
    """
    wanted = texts or _lines()
    if not wanted:
        raise typer.BadParameter("there is no text: give some, or pipe one to a line.")
    with accelerator(
        browser=browser,
        browser_path=browser_path,
        threads=threads,
        websocket_port=port,
        headless=not visible,
    ) as made:
        result = made.embed(wanted, model)
    if as_json or not sys.stdout.isatty():
        _print_json(wanted, result)
    else:
        _print_table(wanted, result)


def _lines() -> list[str]:
    if sys.stdin.isatty():
        return []
    try:
        return [line.rstrip("\n") for line in sys.stdin if line.strip()]
    except UnicodeDecodeError as error:
        raise InferenceError(
            f"What came by stdin is no text: {error}.",
            code="input_mismatch",
            hint="Pipe text in this system's encoding, a text to a line.",
        ) from error


def _print_json(texts: list[str], result: Result) -> None:
    for text, vector in zip(texts, result.output.tolist(), strict=True):
        sys.stdout.write(json.dumps({"text": text, "embedding": vector}) + "\n")


def _print_table(texts: list[str], result: Result) -> None:
    table = Table(box=None, header_style="dim")
    table.add_column("text", max_width=50, no_wrap=True)
    table.add_column(f"the first {SHOWN} of {result.output.shape[1]} numbers")
    for text, vector in zip(texts, result.output, strict=True):
        table.add_row(Text(text), "  ".join(f"{value:+.4f}" for value in vector[:SHOWN]) + "  ...")
    console = output()
    console.print(table)
    console.print(where(result))


def where(result: Result) -> Text:
    """In one line: what ran, where, and how long it took."""
    return Text(
        f"{result.model_name} on {result.browser}'s {result.backend} ({result.device}): "
        f"{milliseconds(result.inference_time * 1000)} of computing, "
        f"{milliseconds(result.latency_ms)} in all with the browser's start",
        style="dim",
    )
