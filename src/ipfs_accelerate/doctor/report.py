"""The facts as one JSON object, whose names stay as they are. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.doctor.findings import findings

if TYPE_CHECKING:
    from ipfs_accelerate.doctor.facts import Facts

FORMAT = 1
"""One more where a name goes or changes its meaning; new names may come at any time."""


def report(facts: Facts) -> dict[str, Any]:
    """Give what `--json` prints."""
    found = [asdict(one) for one in findings(facts)]
    return {"format": FORMAT, "works": facts.works, **asdict(facts), "findings": found}
