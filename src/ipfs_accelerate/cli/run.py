"""`ipfs-accelerate run`: any ONNX file over arrays from files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ipfs_accelerate.cli import options
from ipfs_accelerate.cli.embed import where
from ipfs_accelerate.cli.terminal import accelerator, output
from ipfs_accelerate.errors import ConfigError, InferenceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ipfs_accelerate.result import Result


def run(
    model: Annotated[str, typer.Argument(help="The path of an .onnx file, or a model's name.")],
    *,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", metavar="NAME=FILE.npy", help="An input; may be repeated."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="A folder for the outputs, each as NAME.npy.")
    ] = None,
    as_json: options.JsonOption = False,
    browser: options.BrowserOption = None,
    browser_path: options.BrowserPathOption = None,
    threads: options.ThreadsOption = None,
    port: options.PortOption = None,
    visible: options.VisibleOption = False,
) -> None:
    """Run a model once, over arrays from .npy files."""
    feeds = feeds_of(inputs or [])
    if save is not None:
        _make(save)
    with accelerator(
        browser=browser,
        browser_path=browser_path,
        threads=threads,
        websocket_port=port,
        headless=not visible,
    ) as made:
        result = made.run(model, feeds)
    if save is not None:
        _save(result, save)
    if as_json or not sys.stdout.isatty():
        outputs = {name: array.tolist() for name, array in result.output_tensors.items()}
        sys.stdout.write(json.dumps(outputs) + "\n")
    else:
        _print_table(result)


def feeds_of(inputs: Sequence[str]) -> dict[str, Any]:
    """The arrays that are given as NAME=FILE.npy, by name."""
    return dict(_input(given) for given in inputs)


def _input(given: str) -> tuple[str, Any]:
    import numpy as np  # noqa: PLC0415 - `--help` need not wait for it

    name, equals, file = given.partition("=")
    if not equals or not name or not file:
        raise typer.BadParameter(f"{given!r} is not NAME=FILE.npy.", param_hint="--input")
    try:
        with Path(file).open("rb") as opened:
            return name, np.lib.format.read_array(opened, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InferenceError(
            f"The input {name!r} can't be read from {file}: {error}",
            code="input_mismatch",
            hint="Make the file with numpy.save, of numbers alone.",
        ) from error


def _make(folder: Path) -> None:
    """Before anything is computed, so that nothing is computed in vain."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"The outputs can't be saved in {folder}: {error.strerror}.",
            hint="Name a folder, or where one can be made.",
        ) from error


def _save(result: Result, folder: Path) -> None:
    import numpy as np  # noqa: PLC0415 - see _input

    for name, array in result.output_tensors.items():
        # An output's name is the model's word: it names a file in this folder and nowhere else.
        np.save(folder / f"{name.replace('/', '_').lstrip('.')}.npy", array, allow_pickle=False)


def _print_table(result: Result) -> None:
    table = Table(box=None, header_style="dim")
    for column in ("output", "dtype", "shape", "min", "mean", "max"):
        table.add_column(column)
    for name, array in result.output_tensors.items():
        figures = ["", "", ""]
        if array.size and array.dtype.kind in "fiu":
            figures = [f"{value:.5g}" for value in (array.min(), array.mean(), array.max())]
        table.add_row(Text(name), array.dtype.name, str(list(array.shape)), *figures)
    console = output()
    console.print(table)
    console.print(where(result))
