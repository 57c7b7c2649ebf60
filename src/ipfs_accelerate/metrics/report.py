"""The performance report: what get_metrics holds, for a person or a program to read."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

COLUMNS = {
    "runs": "runs",
    "avg_load_time": "load s",
    "avg_inference_time": "inference s",
    "avg_latency": "latency s",
    "avg_throughput": "items/s",
    "memory_usage_mb": "weights MB",
}


def report(metrics: Mapping[str, Any], kind: str) -> str:
    """The metrics as json, markdown or html."""
    if kind == "json":
        return json.dumps(metrics, indent=2)
    if kind == "markdown":
        return _markdown(_rows(metrics))
    if kind == "html":
        return _html(_rows(metrics))
    raise ConfigError(f"There is no report format {kind!r}.", hint="It is json, markdown or html.")


def _rows(metrics: Mapping[str, Any]) -> list[list[str]]:
    rows = [["model", "platform", *COLUMNS.values()]]
    for name, figures in metrics["models"].items():
        cells = [_number(figures[key]) for key in COLUMNS]
        rows.append([name, figures["platform"], *cells])
    return rows


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _markdown(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "# Performance\n\n" + "\n".join(lines) + "\n"


def _html(rows: list[list[str]]) -> str:
    def line(row: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"

    body = "\n".join([line(rows[0], "th"), *(line(row, "td") for row in rows[1:])])
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Performance</title>\n'
        f"<h1>Performance</h1>\n<table>\n{body}\n</table></html>\n"
    )
