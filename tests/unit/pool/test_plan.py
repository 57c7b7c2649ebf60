"""The plan of one request: what runs, what is there already, what comes back and what stays."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.pool.parts import chain, component

from ipfs_accelerate.models.components import Layout, Stage, Take
from ipfs_accelerate.pool.plan import Memory, Planner
from ipfs_accelerate.protocol.messages import Fetch, HandleRef, Keep, Run, Step, StepRef, TensorRef
from ipfs_accelerate.remembered import Remembered

TRUNK, LEFT, RIGHT = component("trunk"), component("left"), component("right")
KEYS = {one.digest: one.digest.upper() for one in (TRUNK, LEFT, RIGHT)}
TWO = Layout(
    (
        Stage(TRUNK, (Take("a", "int64", None, None, "x"),)),
        Stage(
            LEFT,
            (Take("a", "float32", None, None, (0, "b")), Take("m", "int64", None, None, "mask")),
        ),
    ),
    {"y": (1, "b"), "middle": (0, "b"), "pooled": (0, "c")},
)
"""A trunk with two outputs, and a head; the model gives all of them."""


class Host:
    """Plans over a worker that carries out whatever it is sent."""

    def __init__(self, worth=lambda stage: True):
        self.remembered = Remembered[int](1000)
        self.handles = count(1)
        self.inputs: dict[str, str | None] = {"x": "1", "mask": "1"}
        self.worth = worth

    def memory(self):
        return Memory(self.remembered, self.worth, self.digest, self.handles)

    def digest(self, name, dtype):
        known = self.inputs[name]
        return known and f"{known} {dtype}"

    def plan(self, layout, outputs="y", remote=None, keep=None):
        keys = tuple(KEYS[stage.component.digest] for stage in layout.stages)
        planner = Planner(layout, keys, remote or {}, self.memory())
        return planner.plan({one: one for one in outputs.split()}, keep or {})

    def served(self, *arguments, **named):
        """The plan, and what it made is there from then on."""
        plan = self.plan(*arguments, **named)
        took = plan.took_ms([5.0] * len(plan.ran))
        for one in plan.made:
            self.remembered.keep(one.key, one.handle, "o", size=40, took_ms=took[one.stage])
        return plan


def test_without_memory_everything_runs_in_one_message():
    plan = Planner(TWO, ("TRUNK", "LEFT"), {}).plan({"y": "y", "pooled": "p"}, {})
    assert plan.message == Run(
        steps=(
            Step("TRUNK", {"a": TensorRef("x:int64")}),
            Step("LEFT", {"a": StepRef(0, "b"), "m": TensorRef("mask:int64")}),
        ),
        fetch=(Fetch(StepRef(1, "b"), "y"), Fetch(StepRef(0, "c"), "p")),
        keep=(),
    )
    assert plan.travels == {"x:int64": ("x", "int64"), "mask:int64": ("mask", "int64")}
    assert (plan.ran, plan.hits, plan.made) == ((0, 1), (), ())


def test_what_nobody_asked_for_does_not_run():
    plan = Planner(TWO, ("TRUNK", "LEFT"), {}).plan({"pooled": "pooled"}, {})
    assert [one.model for one in plan.message.steps] == ["TRUNK"]
    assert list(plan.travels) == ["x:int64"]


def test_an_input_that_one_part_takes_narrower_travels_in_both_widths():
    both = Layout(
        (
            Stage(TRUNK, (Take("a", "int32", None, None, "x"),)),
            Stage(
                LEFT,
                (
                    Take("a", "float32", None, None, (0, "b")),
                    Take("m", "int64", None, None, "x"),
                ),
            ),
        ),
        {"y": (1, "b")},
    )
    plan = Planner(both, ("TRUNK", "LEFT"), {}).plan({"y": "y"}, {})
    assert plan.travels == {"x:int32": ("x", "int32"), "x:int64": ("x", "int64")}


def test_what_was_computed_for_these_inputs_is_taken_by_its_handle():
    host = Host(worth=lambda stage: stage == 0)
    first = host.served(TWO)
    (made,) = first.made
    assert first.message.keep == (Keep(0, "b", made.handle),)
    second = host.served(TWO)
    assert second.message.steps == (
        Step("LEFT", {"a": HandleRef(made.handle), "m": TensorRef("mask:int64")}),
    )
    assert second.message.keep == ()
    assert list(second.travels) == ["mask:int64"]  # what nothing needs does not travel
    (hit,) = second.hits
    assert (hit.name, hit.size, hit.saved_ms) == (f"{TRUNK.key}.b", 40, 5.0)


def test_another_model_over_the_same_part_takes_what_the_first_one_made():
    host = Host(worth=lambda stage: stage == 0)
    (made,) = host.served(chain(TRUNK, LEFT)).made
    other = host.plan(chain(TRUNK, RIGHT))
    assert other.message.steps == (Step("RIGHT", {"a": HandleRef(made.handle)}),)


@pytest.mark.parametrize("changed", ["x", "mask"])
def test_another_input_is_computed_anew_as_far_as_it_reaches(changed):
    host = Host()
    host.served(TWO)
    host.inputs[changed] = "2"
    ran = [one.model for one in host.plan(TWO).message.steps]
    assert ran == {"x": ["TRUNK", "LEFT"], "mask": ["LEFT"]}[changed]


def test_where_all_is_there_nothing_runs_and_it_is_only_fetched():
    host = Host()
    made = {one.output: one.handle for one in host.served(TWO, "y").made if one.stage == 1}
    plan = host.plan(TWO, "y")
    assert plan.message == Run(steps=(), fetch=(Fetch(HandleRef(made["b"]), "y"),), keep=())
    assert (plan.ran, dict(plan.travels), len(plan.hits)) == ((), {}, 1)
    assert plan.hits[0].saved_ms == 10.0  # what led to it would have to run too


def test_a_part_some_of_whose_outputs_are_there_runs_again_for_all_of_them():
    host = Host(worth=lambda stage: stage == 0)
    (first,) = host.served(TWO, "middle").made
    plan = host.served(TWO, "middle pooled")
    assert [one.model for one in plan.message.steps] == ["TRUNK"]
    assert [one.output for one in plan.made] == ["b", "c"]
    assert first.handle not in {one.handle for one in plan.made}
    assert host.plan(TWO, "middle pooled").message.steps == ()


def test_what_a_caller_keeps_has_the_callers_handle():
    plan = Planner(TWO, ("TRUNK", "LEFT"), {}).plan({"y": "y"}, {"pooled": 70})
    assert plan.message.keep == (Keep(0, "c", 70),)
    assert [one.as_ for one in plan.message.fetch] == ["y"]


def test_what_lies_on_the_worker_is_taken_there_and_has_no_name_to_be_remembered_by():
    host = Host()
    plan = host.plan(TWO, remote={"x": 9})
    assert plan.message.steps[0].inputs == {"a": HandleRef(9)}
    assert list(plan.travels) == ["mask:int64"]
    assert plan.made == ()


def test_an_input_of_unknown_content_has_none_either():
    host = Host()
    host.inputs["mask"] = None
    assert [one.stage for one in host.plan(TWO).made] == [0]


def test_a_part_that_is_random_is_never_remembered_nor_what_it_leads_to():
    host = Host()
    random = component("trunk", repeatable=False)
    assert host.plan(chain(random, LEFT)).made == ()
    KEYS["noise"] = "NOISE"
    assert [
        one.stage for one in host.plan(chain(TRUNK, component("noise", repeatable=False))).made
    ] == [0]


def test_only_what_is_worth_it_is_kept():
    assert Host(worth=lambda _: False).plan(TWO).message.keep == ()


def test_what_a_step_took_includes_what_led_to_it_once():
    diamond = Layout(
        (
            Stage(TRUNK, (Take("a", "int64", None, None, "x"),)),
            Stage(LEFT, (Take("a", "float32", None, None, (0, "b")),)),
            Stage(
                RIGHT,
                (
                    Take("a", "float32", None, None, (1, "b")),
                    Take("c", "float32", None, None, (1, "b")),
                ),
            ),
        ),
        {"y": (2, "b")},
    )
    plan = Host().plan(diamond)
    assert plan.took_ms([1.0, 2.0, 4.0]) == {0: 1.0, 1: 3.0, 2: 7.0}


@given(
    st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("12"), st.booleans()), max_size=12)
)
def test_whatever_came_before_every_reference_leads_to_what_is_there(requests):
    host = Host()
    contents: dict[int, tuple[str, ...]] = {}
    for x, mask, both in requests:
        host.inputs = {"x": x, "mask": mask}
        plan = host.served(TWO, "y pooled" if both else "y")
        right = {(0, "b"): ("b", x), (0, "c"): ("c", x), (1, "b"): ("y", x, mask)}
        for one in plan.made:
            contents[one.handle] = right[(one.stage, one.output)]
        for fetch in plan.message.fetch:
            wanted = {"y": ("y", x, mask), "pooled": ("c", x)}[fetch.as_]
            if isinstance(fetch.of, HandleRef):
                assert contents[fetch.of.handle] == wanted
            else:
                assert isinstance(fetch.of, StepRef)
                assert right[(plan.ran[fetch.of.step], fetch.of.output)] == wanted
        for step in plan.message.steps:
            reference = step.inputs["a"]
            if isinstance(reference, HandleRef):
                assert contents[reference.handle] == ("b", x)
