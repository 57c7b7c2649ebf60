from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ipfs_accelerate.protocol.numbers_used import NumbersUsed


@given(st.lists(st.integers(1, 40)))
def test_it_is_a_set(numbers):
    used = NumbersUsed()
    seen = set()
    for number in numbers:
        assert used.take(number) == (number not in seen)
        seen.add(number)


def test_counting_up_costs_one_run():
    used = NumbersUsed()
    assert all(used.take(number) for number in range(1, 1000))
    assert used._runs == [[1, 999]]


def test_a_gap_that_is_filled_joins_its_runs():
    used = NumbersUsed()
    for number in (1, 5, 3, 2, 4):
        assert used.take(number)
    assert used._runs == [[1, 5]]
    assert not used.take(3)


def test_runs_grow_downward_too():
    used = NumbersUsed()
    assert used.take(9)
    assert used.take(8)
    assert used._runs == [[8, 9]]
