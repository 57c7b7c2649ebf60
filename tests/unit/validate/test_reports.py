"""The report as JSON and as JUnit XML."""

import json
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.unit.validate.cases import RIGHT, case, result

from ipfs_accelerate.errors import ModelError, PoolError
from ipfs_accelerate.validate.judge import judge, judge_error
from ipfs_accelerate.validate.junit import to_junit
from ipfs_accelerate.validate.report import to_json
from ipfs_accelerate.validate.tolerance import OPERATORS
from ipfs_accelerate.validate.verdicts import Report, Run

NOT_A_NUMBER = RIGHT.copy()
NOT_A_NUMBER[1, 1] = np.nan


@pytest.fixture
def report():
    lacking = ModelError("It has\x00 no <Gelu> & no\ud800 more.", code="operator_unsupported")
    first = Run(
        browser="chromium", browser_version="156.0", platform="webgpu", device="gpu", seconds=1.5
    )
    first.outcomes += [
        judge(case("right", native="right"), result(), OPERATORS, "webgpu"),
        judge(case("wrong", note="a note"), result(NOT_A_NUMBER), OPERATORS, "webgpu"),
        judge(case("fell"), result(fell_back=("Gelu",)), OPERATORS, "webgpu"),
        judge_error(case("lacking"), lacking),
        judge_error(case("lost"), PoolError("It was lost.", code="worker_lost")),
    ]
    second = Run(browser="chromium", platform="webnn")
    gone = PoolError("webnn is not there.", code="platform_unavailable")
    second.outcomes.append(judge_error(case("right"), gone))
    return Report(
        reference="onnx's node test cases",
        tolerance=dict(OPERATORS),
        started="2026-11-19T06:00:00",
        versions={"onnx": "1.23.2"},
        runs=[first, second],
    )


def test_the_json_has_these_fields_and_no_others(report):
    value = json.loads(to_json(report))
    first, second = value.pop("runs")
    assert value == {
        "format": "ipfs-accelerate-validation",
        "version": 1,
        "started": "2026-11-19T06:00:00",
        "versions": {"onnx": "1.23.2"},
        "reference": "onnx's node test cases",
        "tolerance": dict(OPERATORS),
        "interrupted": False,
        "good": False,
    }
    cases = first.pop("cases")
    assert first == {
        "browser": "chromium",
        "browser_version": "156.0",
        "platform": "webgpu",
        "device": "gpu",
        "seconds": 1.5,
        "counts": dict.fromkeys(("right", "fell_back", "wrong", "unsupported", "failed"), 1)
        | {"unavailable": 0},
    }
    assert second["device"] is None
    assert second["browser_version"] is None
    assert cases[0] == {
        "case": "right",
        "operators": ["Gelu"],
        "verdict": "right",
        "seconds": 0.0,
        "code": None,
        "reason": None,
        "difference": None,
        "fell_back": [],
        "native": "right",
        "note": None,
    }
    assert cases[1]["note"] == "a note"
    assert cases[1]["difference"] == {
        "output": "y",
        "what": "nan where 4 is right, at [1, 1]; 0.0001 is allowed",
        "at": [1, 1],
        "got": "nan",
        "expected": 4.0,
        "off": None,
        "allowed": OPERATORS["float32"],
    }
    assert [one["verdict"] for one in cases[2:]] == ["fell_back", "unsupported", "failed"]
    assert cases[3]["code"] == "operator_unsupported"


SUITE = {
    **dict.fromkeys(("tests", "failures", "errors", "skipped", "id"), r"\d+"),
    **dict.fromkeys(("name", "package", "hostname"), r".+"),
    "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    "time": r"\d+\.\d+",
}
CASE = {"name": r".+", "classname": r".+", "time": r"\d+\.\d+"}
OUTCOMES = {"failure": {"type", "message"}, "error": {"type", "message"}, "skipped": {"message"}}


def assert_fits(element, attributes):
    assert set(element.attrib) == set(attributes)
    for name, pattern in attributes.items():
        assert re.fullmatch(pattern, element.get(name)), (name, element.get(name))


def test_the_junit_fits_the_schema_that_its_readers_know(report):
    """Attributes and their forms, and which elements come in which order."""
    root = ET.fromstring(to_junit(report))  # noqa: S314 - our own
    assert root.tag == "testsuites"
    assert [suite.tag for suite in root] == ["testsuite", "testsuite"]
    for suite in root:
        assert_fits(suite, SUITE)
        first, *cases, out, err = suite
        assert (first.tag, out.tag, err.tag) == ("properties", "system-out", "system-err")
        assert all(set(one.attrib) == {"name", "value"} for one in first)
        for one in cases:
            assert one.tag == "testcase"
            assert_fits(one, CASE)
            assert len(one) <= 1
            for inner in one:
                assert set(inner.attrib) == OUTCOMES[inner.tag]


def test_the_junit_says_what_came_of_each_case(report):
    first, second = ET.fromstring(to_junit(report))  # noqa: S314 - our own
    assert first.get("name") == "chromium webgpu"
    counts = [first.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["5", "1", "1", "1"]
    found = {one.get("name"): [inner.tag for inner in one] for one in first.iter("testcase")}
    assert found == {
        "right": [],
        "wrong": ["failure"],
        "fell": [],
        "lacking": ["skipped"],
        "lost": ["error"],
    }
    (failure,), (skipped,) = (list(first.iter(tag)) for tag in ("failure", "skipped"))
    assert "nan where 4 is right" in failure.attrib["message"]
    assert first.findtext("system-out") == "fell: on the CPU: Gelu"
    assert "no <Gelu> & no\ufffd more." in skipped.attrib["message"]
    assert second.get("skipped") == "1"
