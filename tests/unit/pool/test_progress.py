"""Several components that are loaded one after another are one load to whoever waits."""

from tests.unit.pool.parts import component

from ipfs_accelerate.pool.progress import Together

ONE, TWO = component("one", size=90), component("two", size=190)


def test_what_is_done_grows_from_component_to_component():
    told: list[tuple[str, int, int]] = []
    together = Together(lambda *figures: told.append(figures), [ONE, TWO])
    for component_ in (ONE, TWO):
        tell = together.of(component_)
        assert tell is not None
        tell("fetch", 50, 100)
        tell("fetch", 1000, 1000)  # never more than all of it
        together.loaded(component_)
    assert told == [
        ("fetch", 50, 300),
        ("fetch", 100, 300),
        ("fetch", 150, 300),
        ("fetch", 300, 300),
    ]


def test_where_nobody_asks_nobody_is_told():
    assert Together(None, [ONE]).of(ONE) is None
