"""What a person sees: colours and progress bars on a terminal, plain lines where it is piped."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from ipfs_accelerate.accelerator import Accelerator

if TYPE_CHECKING:
    from collections.abc import Iterator


def output() -> Console:
    """Where results go."""
    return Console(soft_wrap=not sys.stdout.isatty())


def errors() -> Console:
    """Where everything else goes."""
    return Console(stderr=True, soft_wrap=not sys.stderr.isatty())


@contextmanager
def accelerator(**options: Any) -> Iterator[Accelerator]:
    """An accelerator whose start and loading are shown while they last."""
    given = {name: value for name, value in options.items() if value is not None}
    bars = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeElapsedColumn(),
        console=errors(),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    task = bars.add_task("Starting a browser", total=None)

    def show(stage: str, done: int, total: int) -> None:
        description = "Loading the model" if stage == "fetch" else f"Loading the model: {stage}"
        bars.update(task, description=description, completed=done, total=total)

    with bars, Accelerator(on_progress=show, **given) as made:
        yield made
        bars.stop()


def milliseconds(value: float) -> str:
    """A duration as a person reads it."""
    return f"{value:.1f} ms" if value < 1000 else f"{value / 1000:.2f} s"  # noqa: PLR2004 - 1 s
