import json

from benchmarks.report import Comparison, Figure, Group, Report, Sample
from benchmarks.statistics import Target

OURS = Sample("ours", "ms", [1.0, 2.0, 1.0])
OTHER = Sample("other", "ms", [4.0, 4.0, 4.0])


def test_a_difference_is_ours_less_the_others():
    one = Comparison("call", OURS, OTHER, "difference")
    assert one.paired == [-3.0, -2.0, -3.0]
    assert one.unit == "ms"
    assert one.interval.median == -3.0


def test_a_ratio_says_how_many_times_faster_ours_is():
    one = Comparison("ping", OURS, OTHER, "ratio", Target("at least", 2.0))
    assert one.paired == [4.0, 2.0, 4.0]
    assert one.unit == "times"


def test_a_report_keeps_every_raw_sample_in_json():
    report = Report(
        "name",
        "title",
        ["2 threads"],
        comparisons=[Comparison("ping", OURS, OTHER, "ratio", Target("at least", 2.0))],
        groups=[Group("parts", [Figure(OURS), Figure(OTHER, Target("at most", 3.0))])],
    )
    told = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert told["comparisons"][0]["ours"]["values"] == [1.0, 2.0, 1.0]
    assert told["comparisons"][0]["target"] == {"kind": "at least", "value": 2.0, "met": True}
    first, second = told["groups"][0]["figures"]
    assert "target" not in first
    assert second["target"]["met"] is False
    assert second["interval_95"] == [4.0, 4.0]
