from pathlib import Path

import pytest
from benchmarks.pairs import interleaved
from benchmarks.setting import Setting


def test_the_order_turns_with_each_round():
    order = list(interleaved("AB", 4))
    assert "".join(side for _, side in order) == "ABBAABBA"
    assert [number for number, _ in order] == [0, 0, 1, 1, 2, 2, 3, 3]


def test_three_sides_turn_too_and_none_come_without_rounds():
    assert "".join(side for _, side in interleaved("ABC", 2)) == "ABCCBA"
    assert list(interleaved("AB", 0)) == []


@pytest.mark.parametrize(
    ("asked", "quick", "short", "long"),
    [(None, False, 200, 20), (None, True, 10, 2), (5, False, 5, 5), (50, True, 50, 20)],
)
def test_how_many_pairs_there_are(asked, quick, short, long):
    setting = Setting(
        folder=Path("unused"),
        threads=1,
        asked_pairs=asked,
        quick=quick,
        on_step=lambda *_: None,
    )
    assert setting.pairs(200, quick=10) == short
    assert setting.long_pairs(20, quick=2) == long
