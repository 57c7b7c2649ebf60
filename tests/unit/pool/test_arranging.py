"""When models that are loaded are worth laying out anew."""

from tests.unit.pool.parts import chain, component

from ipfs_accelerate.pool.arranging import worth_reload

ALONE_A, ALONE_B = (chain(component(name, size=1000, macs=100)) for name in "ab")


def beside(shared, own, macs=0, own_macs=100):
    """Two models with a trunk of so many bytes and so much work, and heads of their own."""
    trunk = component("trunk", size=shared, macs=macs)
    return {
        name: chain(trunk, component(f"head of {name}", size=own, macs=own_macs)) for name in "ab"
    }


def test_what_nothing_is_saved_by_is_not_worth_a_reload():
    proposed = {"a": chain(component("other a", size=1000)), "b": ALONE_B}
    assert not worth_reload({"a": ALONE_A}, proposed, ALONE_B)


def test_bytes_that_are_held_once_are_worth_it():
    assert worth_reload({"a": ALONE_A}, beside(900, 100), ALONE_B)
    assert not worth_reload({"a": ALONE_A}, beside(50, 950), ALONE_B)


def test_work_that_is_done_once_is_worth_it_whatever_is_held():
    assert worth_reload({"a": ALONE_A}, beside(0, 1000, macs=100, own_macs=100), ALONE_B)
    assert not worth_reload({"a": ALONE_A}, beside(0, 1000, macs=1, own_macs=100), ALONE_B)


def test_models_whose_work_nobody_knows_are_judged_by_bytes():
    assert not worth_reload({"a": ALONE_A}, beside(0, 1000, own_macs=0), ALONE_B)


def test_what_is_loaded_already_costs_no_reload():
    present = {"a": beside(900, 100)["a"]}
    assert worth_reload(present, beside(900, 100), ALONE_B)
    assert worth_reload(present, beside(900, 100) | {"a": present["a"]}, ALONE_B)
