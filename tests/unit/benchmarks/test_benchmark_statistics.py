import numpy as np
import pytest
from benchmarks.statistics import Interval, Target, differences, median_interval, ratios


def test_an_interval_holds_its_median_and_is_the_same_each_time():
    values = [3.0, 1.0, 2.0, 5.0, 4.0, 9.0, 2.5]
    interval = median_interval(values)
    assert interval.median == 3.0
    assert interval.low <= interval.median <= interval.high
    assert interval == median_interval(values)


def test_equal_values_have_an_interval_without_width():
    assert median_interval([2.0] * 20) == Interval(2.0, 2.0, 2.0)
    assert median_interval([7.0]) == Interval(7.0, 7.0, 7.0)


def test_more_values_make_an_interval_narrower():
    values = np.random.default_rng(1).normal(10.0, 1.0, 400)
    few, many = median_interval(list(values[:50])), median_interval(list(values))
    assert many.high - many.low < few.high - few.low
    assert many.low < 10.0 < many.high


def test_intervals_hold_the_true_median_about_as_often_as_they_say():
    generator = np.random.default_rng(2)
    held = 0
    for _ in range(40):
        interval = median_interval(list(generator.exponential(1.0, 30)))
        held += interval.low <= np.log(2) <= interval.high
    assert held >= 34


def test_an_outlier_does_not_move_the_median():
    assert median_interval([1.0] * 99 + [1e6]).high == 1.0


@pytest.mark.parametrize("values", [[], [1.0, float("nan")], [float("inf")]])
def test_what_has_no_median_is_refused(values):
    with pytest.raises(ValueError, match="no median interval"):
        median_interval(values)


def test_pairs_become_differences_and_ratios():
    assert differences([3.0, 5.0], [1.0, 1.0]) == [2.0, 4.0]
    assert ratios([2.0, 4.0], [4.0, 4.0]) == [2.0, 1.0]
    with pytest.raises(ValueError, match="shorter"):
        ratios([1.0, 2.0], [1.0])


def test_a_target_is_met_only_by_a_whole_interval():
    interval = Interval(1.4, 1.3, 1.6)
    assert Target("at most", 1.6).met_by(interval)
    assert not Target("at most", 1.5).met_by(interval)
    assert Target("at least", 1.3).met_by(interval)
    assert not Target("at least", 1.4).met_by(interval)
