"""`ipfs-accelerate share`: what models have in common, what that saves, and why it is not more."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ipfs_accelerate.cli.files import check_writable, write
from ipfs_accelerate.cli.sharing import print_tables, tables
from ipfs_accelerate.cli.terminal import errors, output
from ipfs_accelerate.config import Config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ipfs_accelerate.graph import Dag, Explanation, Partition
    from ipfs_accelerate.models import BlockStore

_FEWEST = 2
_FORMAT = 1
"""Another number only where a name goes or changes its meaning."""


def share(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL",
            help="Two models or more: names, paths of .onnx files, or BASE+HEAD.onnx.",
            show_default=False,
        ),
    ],
    *,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="A file for it all as JSON; - is stdout.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(help="A file for a picture of the components, as SVG.")
    ] = None,
) -> None:
    """Show what models share, at three levels, and what keeps them from sharing more.

    Tensors that are equal are stored and sent once. Components that are equal are held once on a
    worker, and computed once for one input. All of it is found by hashes, in the models' files
    alone: no browser is started.
    """
    wanted = list(dict.fromkeys(models))
    if len(wanted) < _FEWEST:
        raise typer.BadParameter(
            "it takes two models or more to share something.", param_hint="MODEL"
        )
    for file in (json_file, svg):
        check_writable(file)
    with _shown() as tell:
        found = _compare(wanted, tell)
    if svg is not None:
        from ipfs_accelerate.graph import picture  # noqa: PLC0415 - seldom asked for

        write(svg, picture(found.cut))
    _tell(found, json_file)


@dataclass(frozen=True)
class _Found:
    """What came of it: how the models are cut, which of them can't be, and why not more."""

    cut: Partition
    whole: dict[str, str]
    explanation: Explanation


def _compare(models: Sequence[str], tell: Callable[[str], None]) -> _Found:
    # `--help` need not wait for these.
    from ipfs_accelerate.graph import explain, partition  # noqa: PLC0415 - as said
    from ipfs_accelerate.models import BlockStore  # noqa: PLC0415
    from ipfs_accelerate.models.dags import turned  # noqa: PLC0415

    store = BlockStore(Config.of().folder)
    dags = _dags(models, store, tell)
    tell("Comparing them")
    cut = partition(dags)
    whole = {name: dag.whole for name, dag in dags.items() if dag.whole is not None}
    return _Found(cut, whole, explain(dags, cut=cut, turned=turned(store)))


def _dags(models: Sequence[str], store: BlockStore, tell: Callable[[str], None]) -> dict[str, Dag]:
    """The graph of each model under its name, or as each was given where names are not enough."""
    from ipfs_accelerate.models import resolve  # noqa: PLC0415 - see _compare
    from ipfs_accelerate.models.dags import dag_of  # noqa: PLC0415

    found = {}
    for model in models:
        tell(f"Reading {model}")
        manifest = resolve(model, store)
        found[model] = manifest.name, dag_of(manifest, store)
    names = {name for name, _ in found.values()}
    return (
        dict(found.values())
        if len(names) == len(found)
        else {model: dag for model, (_, dag) in found.items()}
    )


@contextmanager
def _shown() -> Iterator[Callable[[str], None]]:
    """Tell what is going on while it lasts, on a terminal."""
    if not sys.stderr.isatty():
        yield lambda _words: None
        return
    with errors().status("Looking for the models") as status:
        yield lambda words: status.update(Text(words))


def _tell(found: _Found, json_file: Path | None) -> None:
    if json_file is not None:
        told = json.loads(found.explanation.to_json())
        text = json.dumps({"format": _FORMAT, "whole": found.whole, **told}, indent=2) + "\n"
        if str(json_file) == "-":
            sys.stdout.write(text)
            return
        write(json_file, text)
    print_tables(output(), tables(found.explanation, found.whole))
