"""A report as JUnit XML: one test suite for each browser and platform.

A wrong case is a failure, a failed one an error, and one that could not run is skipped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from ipfs_accelerate.validate.verdicts import Verdict, why_of

if TYPE_CHECKING:
    from ipfs_accelerate.validate.verdicts import Outcome, Report, Run

_SKIPPED = (Verdict.UNSUPPORTED, Verdict.UNAVAILABLE)
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: Report) -> str:
    """The whole report."""
    root = ET.Element("testsuites")
    for number, run in enumerate(report.runs):
        root.append(_suite(run, number, report.started))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(run: Run, number: int, started: str) -> ET.Element:
    counts = run.counts
    suite = ET.Element(
        "testsuite",
        name=run.name,
        package="ipfs_accelerate.validate",
        id=str(number),
        timestamp=started,
        hostname="localhost",
        tests=str(len(run.outcomes)),
        failures=str(counts[Verdict.WRONG]),
        errors=str(counts[Verdict.FAILED]),
        skipped=str(sum(counts[one] for one in _SKIPPED)),
        time=f"{run.seconds:.3f}",
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (("browser", run.browser), ("platform", run.platform)):
        ET.SubElement(properties, "property", name=name, value=value)
    for outcome in run.outcomes:
        suite.append(_case(run, outcome))
    ET.SubElement(suite, "system-out").text = _fallbacks(run)
    ET.SubElement(suite, "system-err")
    return suite


def _case(run: Run, outcome: Outcome) -> ET.Element:
    classname = f"{run.browser}.{run.platform}"
    seconds = f"{outcome.seconds:.4f}"
    case = ET.Element("testcase", name=_clean(outcome.case), classname=classname, time=seconds)
    why = _clean(why_of(outcome))
    if outcome.verdict is Verdict.WRONG:
        ET.SubElement(case, "failure", type="wrong", message=why)
    elif outcome.verdict is Verdict.FAILED:
        ET.SubElement(case, "error", type=outcome.code, message=why)
    elif outcome.verdict in _SKIPPED:
        ET.SubElement(case, "skipped", message=why)
    return case


def _fallbacks(run: Run) -> str:
    fell = (one for one in run.outcomes if one.verdict is Verdict.FELL_BACK)
    return _clean("\n".join(f"{one.case}: {why_of(one)}" for one in fell))


def _clean(text: str) -> str:
    """Without the characters that no XML may hold."""
    return _NO_XML.sub("\ufffd", text)
