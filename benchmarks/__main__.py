"""`python -m benchmarks`: measures what is named, or everything, and says what was found."""

from __future__ import annotations

import argparse
import json
import os
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import machine, show
from benchmarks.setting import Setting

BENCHMARKS = {
    "call": "a whole embed() of 128 tokens, against the session timed in the page",
    "roundtrip": "a tiny round trip, against Playwright's page.evaluate",
    "transfer": "10 MB each way, against a raw socket and Playwright",
    "start": "from a fresh Python process to the first vector, part by part",
    "platforms": "MiniLM on WebNN and WASM, in fp32 and int8, against native onnxruntime",
    "sharing": "models that share what is equal in them, against the same with sharing off",
    "memory": "what MiniLM takes in the browser, as multiples of its weights",
}
THREADS = min(2, len(os.sched_getaffinity(0)))


def main() -> None:
    """Measure, print, and keep the raw samples where that is asked for."""
    asked = _arguments()
    console, described = show.output(), {**machine.describe(), "load before": machine.load()}
    show.machine(console, described)
    reports: list[dict[str, Any]] = []
    with TemporaryDirectory(prefix="benchmarks-") as folder, show.Steps() as steps:
        setting = Setting(
            folder=Path(folder),
            threads=asked.threads,
            asked_pairs=asked.pairs,
            quick=asked.quick,
            on_step=steps.step,
        )
        for name in asked.names or BENCHMARKS:
            found = import_module(f"benchmarks.{name}").run(setting)
            show.report(console, found)
            reports.append(found.to_json())
    if asked.json is not None:
        kept = {"machine": {**described, "load after": machine.load()}, "reports": reports}
        asked.json.write_text(json.dumps(kept, indent=1, allow_nan=False) + "\n", "utf-8")


def _arguments() -> argparse.Namespace:
    listed = "\n".join(f"  {name:<10} {what}" for name, what in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure the product against peers in the same run.",
        epilog=f"benchmarks:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("names", metavar="NAME", nargs="*", type=_name, help="what to measure; else everything")
    add("--pairs", type=_count, metavar="N", help="pairs of each, in place of its own number")
    add("--threads", type=_count, metavar="N", default=THREADS, help="of WASM; %(default)s here")
    add("--quick", action="store_true", help="few pairs: all of it within two minutes")
    add("--json", type=Path, metavar="FILE", help="where all raw samples go")
    return parser.parse_args()


def _name(text: str) -> str:
    if text not in BENCHMARKS:
        known = ", ".join(BENCHMARKS)
        raise argparse.ArgumentTypeError(f"{text!r} is not measured here; there is {known}")
    return text


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 upward")
    return int(text)


if __name__ == "__main__":
    main()
