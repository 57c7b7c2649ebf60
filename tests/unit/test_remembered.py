"""What is remembered: found again, and given up in the right order, within its budget."""

from hypothesis import given
from hypothesis import strategies as st

from ipfs_accelerate.remembered import Remembered


def test_what_is_kept_is_found_with_what_it_took():
    remembered = Remembered[str](100)
    assert remembered.find("a") is None
    assert remembered.keep("a", "A", "model", size=40, took_ms=3.5) == []
    entry = remembered.find("a")
    assert entry is not None
    assert (entry.value, entry.owner, entry.size, entry.took_ms) == ("A", "model", 40, 3.5)
    assert (len(remembered), remembered.size) == (1, 40)


def test_the_longest_unused_goes_first():
    remembered = Remembered[str](100)
    for key in "abc":
        remembered.keep(key, key.upper(), "model", size=30)
    remembered.find("a")
    assert remembered.keep("d", "D", "model", size=40) == ["B"]
    assert remembered.find("b") is None
    assert remembered.size == 100


def test_what_is_over_the_budget_by_itself_is_not_kept():
    remembered = Remembered[str](10)
    assert remembered.keep("a", "A", "model", size=11) == ["A"]
    assert (len(remembered), remembered.size) == (0, 0)


def test_a_key_that_is_kept_again_gives_up_the_old_value():
    remembered = Remembered[str](100)
    remembered.keep("a", "old", "model", size=30)
    assert remembered.keep("a", "new", "model", size=20) == ["old"]
    assert remembered.size == 20
    assert remembered.drop("a") == ["new"]
    assert remembered.drop("a") == []


def test_what_is_measured_later_counts_then():
    remembered = Remembered[str](100)
    remembered.keep("a", "A", "model")
    remembered.keep("b", "B", "model")
    assert remembered.measured("b", size=60, took_ms=2.5) == []
    assert remembered.measured("a", size=60, took_ms=1.5) == ["A"]
    assert remembered.size == 60
    entry = remembered.find("b")
    assert entry is not None
    assert entry.took_ms == 2.5


def test_those_of_an_owner_go_together():
    remembered = Remembered[str](100)
    remembered.keep("a", "A", "one", size=1)
    remembered.keep("b", "B", "two", size=1)
    remembered.keep("c", "C", "one", size=1)
    assert remembered.forget(lambda entry: entry.owner == "one") == ["A", "C"]
    assert (len(remembered), remembered.size) == (1, 1)


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 12)), max_size=60),
    st.integers(0, 30),
)
def test_nothing_is_lost_and_the_budget_holds(kept, most):
    remembered, alive = Remembered[int](most), set()
    for number, (key, size) in enumerate(kept):
        alive.add(number)
        alive -= set(remembered.keep(key, number, key, size=size))
        assert remembered.size <= most
        assert len(remembered) == len(alive)
    assert set(remembered.forget(lambda _: True)) == alive
    assert remembered.size == 0
