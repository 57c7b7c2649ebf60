"""What may come of a case, and what a run of many comes to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ipfs_accelerate.validate.compare import Difference


class Verdict(StrEnum):
    """What came of one case on one platform."""

    RIGHT = "right"
    FELL_BACK = "fell_back"
    """the right numbers, but operators ran on the CPU"""
    WRONG = "wrong"
    UNSUPPORTED = "unsupported"
    """refused with a code and a reason"""
    FAILED = "failed"
    """a hang, a crash, a lost worker, or whatever else should not be"""
    UNAVAILABLE = "unavailable"
    """the browser or the platform is not there, so nothing ran"""

    @property
    def words(self) -> str:
        """As a person reads it."""
        return self.value.replace("_", " ")


BAD = frozenset({Verdict.WRONG, Verdict.FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One case on one platform."""

    case: str
    operators: tuple[str, ...]
    verdict: Verdict
    seconds: float = 0.0
    code: str = ""
    """the error's, where it was refused or failed"""
    reason: str = ""
    difference: Difference | None = None
    fell_back: tuple[str, ...] = ()
    """the operators that ran on the CPU"""
    native: str = ""
    """what native onnxruntime says of the same case, where the reference is another"""
    note: str = ""
    """how the case was run otherwise than as it stands"""


@dataclass(slots=True, kw_only=True)
class Run:
    """Every case on one platform of one browser; filled as it goes."""

    browser: str
    platform: str
    browser_version: str = ""
    """empty where it is not known"""
    device: str = ""
    seconds: float = 0.0
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many cases came to each verdict."""
        found = Counter(one.verdict for one in self.outcomes)
        return {verdict: found[verdict] for verdict in Verdict}

    @property
    def bad(self) -> int:
        """How many are wrong or failed."""
        return sum(one.verdict in BAD for one in self.outcomes)

    @property
    def name(self) -> str:
        """As tables and files call it."""
        return f"{self.browser} {self.platform}"


@dataclass(slots=True, kw_only=True)
class Report:
    """All runs of one validation."""

    reference: str
    tolerance: dict[str, float]
    started: str
    versions: dict[str, str]
    runs: list[Run] = field(default_factory=list)
    interrupted: bool = False

    @property
    def good(self) -> bool:
        """Whether something ran, and none of it is wrong or failed."""
        verdicts = {one.verdict for run in self.runs for one in run.outcomes}
        return bool(verdicts - {Verdict.UNAVAILABLE}) and not verdicts & BAD


def why_of(outcome: Outcome) -> str:
    """Why a case is not right, in one text."""
    if outcome.difference is not None:
        return str(outcome.difference)
    if outcome.verdict is Verdict.FELL_BACK:
        where = f"{outcome.reason}; " if outcome.reason else ""
        return f"{where}on the CPU: {', '.join(outcome.fell_back)}"
    return f"{outcome.code}: {outcome.reason}" if outcome.code else outcome.reason
