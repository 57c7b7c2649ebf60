"""A report as JSON: one object, whose version is raised when a field changes its meaning."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipfs_accelerate.validate.compare import Difference
    from ipfs_accelerate.validate.verdicts import Outcome, Report, Run

FORMAT = "ipfs-accelerate-validation"
VERSION = 1


def to_json(report: Report) -> str:
    """The whole report."""
    value = {
        "format": FORMAT,
        "version": VERSION,
        "started": report.started,
        "versions": report.versions,
        "reference": report.reference,
        "tolerance": report.tolerance,
        "interrupted": report.interrupted,
        "good": report.good,
        "runs": [_run(run) for run in report.runs],
    }
    return json.dumps(value, indent=1, allow_nan=False) + "\n"


def _run(run: Run) -> dict[str, Any]:
    return {
        "browser": run.browser,
        "browser_version": run.browser_version or None,
        "platform": run.platform,
        "device": run.device or None,
        "seconds": round(run.seconds, 3),
        "counts": {verdict.value: count for verdict, count in run.counts.items()},
        "cases": [_case(outcome) for outcome in run.outcomes],
    }


def _case(outcome: Outcome) -> dict[str, Any]:
    return {
        "case": outcome.case,
        "operators": list(outcome.operators),
        "verdict": outcome.verdict.value,
        "seconds": round(outcome.seconds, 4),
        "code": outcome.code or None,
        "reason": outcome.reason or None,
        "difference": _difference(outcome.difference) if outcome.difference else None,
        "fell_back": list(outcome.fell_back),
        "native": outcome.native or None,
        "note": outcome.note or None,
    }


def _difference(difference: Difference) -> dict[str, Any]:
    value = dataclasses.asdict(difference)
    return {name: _plain(one) for name, one in value.items()}


def _plain(value: Any) -> Any:
    """JSON has no number that is infinite or none: such a one is a word."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
