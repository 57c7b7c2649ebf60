"""The demo, as a person starts it: a ranking, where it ran, and figures that were measured."""

import re

import pytest
from tests.browser.scripts import Place


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_the_demo_ranks_by_meaning_and_times_what_really_ran(place):
    done = place.cli(["demo", "How do I bake bread?", "--port", "0"])
    assert done.returncode == 0, done.stderr
    ranked = re.findall(r"^ ([+-]\d\.\d{3}) +█* +(\w+ \w+)", done.stdout, re.MULTILINE)
    assert ranked[0][1] == "Bread needs"
    scores = [float(score) for score, _ in ranked]
    assert scores == sorted(scores, reverse=True)
    computing = re.search(r"computing in the browser +([\d.]+) ms", done.stdout)
    a_second = re.search(r"sentences a second +(\d+)", done.stdout)
    assert computing is not None
    assert float(computing[1]) > 0
    assert a_second is not None
    assert int(a_second[1]) > 0
    assert place.is_clear()
