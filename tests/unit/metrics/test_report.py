"""The report in its three forms."""

import json

import pytest

from ipfs_accelerate.errors import ConfigError
from ipfs_accelerate.metrics.report import report
from ipfs_accelerate.metrics.statistics import Statistics


def metrics() -> dict[str, object]:
    statistics = Statistics()
    statistics.loaded("<m>", "wasm", load_s=1.0, memory_mb=2)
    statistics.ran("<m>", items=1, inference_s=0.25, latency_s=0.5)
    return statistics.snapshot()


def test_json_is_the_metrics() -> None:
    assert json.loads(report(metrics(), "json")) == metrics()


def test_markdown_is_one_table() -> None:
    lines = report(metrics(), "markdown").splitlines()
    assert lines[0] == "# Performance"
    assert lines[2].startswith("| model | platform | runs |")
    assert "| <m> | wasm | 1 | 1 | 0.25 | 0.5 | 4 | 2 |" in lines


def test_html_escapes_names() -> None:
    text = report(metrics(), "html")
    assert "&lt;m&gt;" in text
    assert "<m>" not in text


def test_another_format_is_an_error() -> None:
    with pytest.raises(ConfigError, match="json, markdown or html"):
        report(metrics(), "pdf")
