"""Writes docs/operators.md from the reports of `ipfs-accelerate validate --operators --json`.

python tools/write_operators.py REPORT.json...
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "operators.md"
RUNTIME = ROOT / "js" / "node_modules" / "onnxruntime-web" / "package.json"
VERDICTS = ("right", "fell_back", "wrong", "failed", "unsupported")
LOST = ("timeout", "worker_lost", "crashed")
SEVERAL = "several together"
HEAD = """# Which operators are right, and where

Each operator of ONNX, held against onnx's own test cases on each platform. This page is written by

```bash
{commands}
python tools/write_operators.py {files}
```

and `make soak` runs the same cases anew, and fails where one is wrong or fails that is not named \
here. The [verdicts](validate.md#verdicts) are those of `validate`. What a platform lacks was \
allowed to run on the CPU: what *fell back* is what `allow_fallback=["wasm"]` is needed for. \
*Unsupported* is what is refused all the same, most of it for a dtype or a kind of input that no \
frame carries, or that no build of onnxruntime-web has a kernel for.

{versions}. WebGPU ran on a software adapter (SwiftShader) and WebNN on the CPU (TensorFlow Lite), \
which are there without a GPU or NPU: another device has other faults, which the same command finds.

## In all
"""
FAULTS = """
## What is wrong, and what failed

Each of these was tried again in a bare page that holds nothing but onnxruntime-web, and gave the \
same number or the same error there: they are its own, or the browser's. *Failed* is a refusal of \
what native onnxruntime computes, with an error of the tree; none is a hang or a crash. What \
native onnxruntime has wrong as well is marked.
"""


def main() -> None:
    """Write the page; nothing is asked of a browser."""
    files = [Path(name) for name in sys.argv[1:]]
    if not files:
        sys.exit(__doc__)
    reports = [json.loads(file.read_text("utf-8")) for file in files]
    check(reports)
    PAGE.write_text(page(reports, [file.name for file in files]), "utf-8")
    print(PAGE)


def check(reports: list[dict[str, Any]]) -> None:
    """The page says that nothing hung or crashed, so it is not written where something did."""
    cases = [case for report in reports for run in report["runs"] for case in run["cases"]]
    lost = [case["case"] for case in cases if case["code"] in LOST]
    if lost or any(report["interrupted"] for report in reports):
        sys.exit(f"An interrupted run, or one with a hang or crash, is no page: {lost}")


def page(reports: list[dict[str, Any]], files: list[str]) -> str:
    """All of it, as Markdown."""
    runs = [run for report in reports for run in report["runs"]]
    commands = "\n".join(command(*one) for one in zip(runs, files, strict=True))
    head = HEAD.format(commands=commands, files=" ".join(files), versions=versions(reports))
    faults = "\n".join(line for run in runs for line in faults_of(run))
    tail = ["\n## By operator\n", *by_operator(runs)]
    return "\n".join([head, *in_all(runs), FAULTS.rstrip(), faults, *tail]) + "\n"


def command(run: dict[str, Any], file: str) -> str:
    """What gave this run."""
    where = f"--browser {run['browser']} --platform {run['platform']}"
    return f"ipfs-accelerate validate --operators --allow-fallback wasm {where} --json {file}"


def versions(reports: list[dict[str, Any]]) -> str:
    """Of everything that takes part."""
    runtime = json.loads(RUNTIME.read_text("utf-8"))["version"]
    packages = reports[0]["versions"]
    browsers = {
        f"{run['browser']} {run['browser_version']}" for report in reports for run in report["runs"]
    }
    told = [f"onnx {packages['onnx']}", f"onnxruntime-web {runtime}"]
    told += [f"native onnxruntime {packages['onnxruntime']}", *sorted(browsers)]
    return ", ".join(told)


def in_all(runs: list[dict[str, Any]]) -> list[str]:
    """A row for each platform."""
    rows = [[name(run), *(str(run["counts"][one]) for one in VERDICTS)] for run in runs]
    return table(["platform", *(one.replace("_", " ") for one in VERDICTS)], rows)


def faults_of(run: dict[str, Any]) -> list[str]:
    """The wrong and failed cases of a platform, those of one reason together."""
    bad = [one for one in run["cases"] if one["verdict"] in ("wrong", "failed")]
    rows = []
    for (verdict, why), cases in groupby(bad, lambda one: (one["verdict"], reason(one))):
        names = ", ".join(f"`{one['case']}`" for one in cases)
        rows.append([verdict, names, why])
    return [f"\n### {name(run)}\n", *table(["", "cases", "why"], rows)]


def reason(case: dict[str, Any]) -> str:
    """Why it is wrong or failed, in a cell of a table."""
    if case["difference"]:
        why = f"{case['difference']['output']}: {case['difference']['what']}"
    else:
        why = f"{case['code']}: {case['reason'].rpartition('ERROR_MESSAGE: ')[2]}"
    native = " (native onnxruntime too)" if (case["native"] or "").startswith("wrong") else ""
    return why.replace("|", "\\|").replace("<", "&lt;") + native


def by_operator(runs: list[dict[str, Any]]) -> list[str]:
    """A row for each operator: what its own cases came to on each platform."""
    counts: defaultdict[str, list[Counter[str]]] = defaultdict(lambda: [Counter() for _ in runs])
    for column, run in enumerate(runs):
        for case in run["cases"]:
            operators = case["operators"]
            key = operators[0] if len(operators) == 1 else SEVERAL
            counts[key][column][case["verdict"]] += 1
    several = counts.pop(SEVERAL)
    rows = [[key, *map(cell, counts[key])] for key in sorted(counts)]
    return table(["operator", *map(name, runs)], [*rows, [f"*{SEVERAL}*", *map(cell, several)]])


def cell(counts: Counter[str]) -> str:
    """What the cases of one operator came to on one platform."""
    told = [f"{counts[one]} {one.replace('_', ' ')}" for one in VERDICTS if counts[one]]
    return ", ".join(told)


def name(run: dict[str, Any]) -> str:
    """The platform and the browser that it is in."""
    return f"{run['platform']} in {run['browser']}"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A table of Markdown."""
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


if __name__ == "__main__":
    main()
