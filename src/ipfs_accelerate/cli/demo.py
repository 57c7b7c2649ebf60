"""`ipfs-accelerate demo`: sentences ranked by how near they are to a question."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ipfs_accelerate.cli import options
from ipfs_accelerate.cli.terminal import accelerator, milliseconds, output

QUESTION = "How can I use my graphics card from Python?"
SENTENCES = (
    "A browser reaches the GPU through WebGPU, and a program can send it work.",
    "Install the vendor's driver and toolkit, then compile the extension.",
    "The neural network runs on the accelerator that the laptop already has.",
    "A man is eating a piece of bread.",
    "The cat sleeps on the warm keyboard.",
    "Bread needs flour, water, salt and time.",
)


def demo(
    question: Annotated[
        str, typer.Argument(help="What the sentences are compared with.")
    ] = QUESTION,
    *,
    browser: options.BrowserOption = None,
    browser_path: options.BrowserPathOption = None,
    threads: options.ThreadsOption = None,
    port: options.PortOption = None,
    visible: options.VisibleOption = False,
) -> None:
    """Rank a few sentences by meaning, and show where it ran and where the time went."""
    started = perf_counter()
    with accelerator(
        browser=browser,
        browser_path=browser_path,
        threads=threads,
        websocket_port=port,
        headless=not visible,
    ) as made:
        made.load()
        ready_s = perf_counter() - started
        first = made.embed([question, *SENTENCES])
        again = made.embed([question, *SENTENCES], remember=False)  # to time it
    vectors = again.output
    scores = vectors[1:] @ vectors[0]
    console = output()
    console.print(Text(question, style="bold"))
    console.print(_ranking(scores))
    console.print(_where(first, again, ready_s))


def _ranking(scores: Any) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1))
    for score, sentence in sorted(zip(scores, SENTENCES, strict=True), reverse=True):
        bar = "█" * max(0, round(float(score) * 20))
        table.add_row(f"{score:+.3f}", f"[green]{bar:<20}[/]", sentence)
    return table


def _where(first: Any, again: Any, ready_s: float) -> Table:
    figures = again.performance_metrics
    on_the_way = figures["latency_ms"] - figures["engine_ms"]
    table = Table(box=None, show_header=False, padding=(0, 1), title_justify="left")
    table.add_row("ran on", f"{again.browser}, {again.backend} on its {again.device}")
    table.add_row("model", f"{again.model_name}, {again.memory_usage_mb:.1f} MB of weights")
    table.add_row("browser and model ready", milliseconds(ready_s * 1000))
    table.add_row("  of which the model's load", milliseconds(figures["load_ms"]))
    table.add_row("first run", milliseconds(first.latency_ms))
    table.add_row("a run, once warm", milliseconds(figures["latency_ms"]))
    table.add_row("  computing in the browser", milliseconds(figures["inference_ms"]))
    table.add_row("  tokens, the way there and back", milliseconds(on_the_way))
    table.add_row("sentences a second", f"{again.throughput_items_per_sec:.0f}")
    return table
