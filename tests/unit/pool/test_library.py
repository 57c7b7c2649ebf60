"""What an engine holds for its models: each component once, for as long as a model needs it."""

import asyncio
import itertools

import pytest
from tests.unit.pool.parts import WASM, WEBNN, Arranged, Engine, chain, component, model, needed

from ipfs_accelerate.errors import AccelerateError, PoolError
from ipfs_accelerate.models.components import whole
from ipfs_accelerate.pool.library import MOST_SHAPES, Library
from ipfs_accelerate.pool.plan import Planner

TRUNK, LEFT, RIGHT, LOW = (component(name) for name in ("trunk", "left", "right", "low"))
A, B, C = model("a"), model("b"), model("c")
BESIDE = {"a": chain(TRUNK, LEFT), "b": chain(TRUNK, RIGHT)}
CUT = {("a", "b"): BESIDE}


def run(scenario):
    async def bounded():
        async with asyncio.timeout(20):
            return await scenario

    return asyncio.run(bounded())


async def right(_loaded):
    """A check that finds nothing wrong."""


def library(table=None):
    """A library, its engine, and what lays its models out."""
    engine = Engine().named("a", "b", "c", "trunk", "left", "right", "low")
    arranged = Arranged(table or {})
    return Library(engine.ask, arranged, 1000), engine, arranged


def remembering(held, loaded, what="x"):
    """A plan that a request made, and whose outputs are remembered."""
    memory = held.recall.memory(loaded, lambda name, dtype: f"{what} {name} {dtype}", HANDLES)
    plan = Planner(loaded.layout, loaded.keys, {}, memory).plan({"y": "y"}, {})
    held.recall.promise(plan, loaded)
    return plan


HANDLES = itertools.count(1)


async def served(held, engine, loaded, what="x"):
    """The plan of a request, once it was carried out."""
    plan = remembering(held, loaded, what)
    answer = await engine.ask(plan.message)
    held.recall.fulfil(plan, loaded, answer.value)
    return plan


def test_a_model_alone_is_its_own_file_and_goes_as_it_came():
    async def scenario():
        held, engine, arranged = library()
        loaded = await held.load(needed(A), WASM, right)
        assert loaded.layout == whole(A)
        assert held.find(A, WASM, {}) is loaded
        assert await held.load(needed(A), WASM, right) is loaded
        assert (engine.log, arranged.asked) == (["load a"], [])
        await held.unload(A)
        assert held.find(A, WASM, {}) is None
        assert (engine.log, engine.holds, held.holding.held) == (["load a", "unload a"], [], {})

    run(scenario())


def test_a_second_model_is_laid_out_over_what_is_there():
    async def scenario():
        held, engine, _ = library({("a", "b"): {"a": whole(A), "b": chain(whole_of(A), RIGHT)}})
        first = await held.load(needed(A), WASM, right)
        second = await held.load(needed(B), WASM, right)
        assert engine.log == ["load a", "load right"]
        assert held.find(A, WASM, {}) is first
        assert second.weight_bytes == 200
        await held.unload(A)
        assert engine.holds == ["a", "right"]
        await held.unload(B)
        assert engine.holds == []

    run(scenario())


def whole_of(manifest):
    return whole(manifest).stages[0].component


def test_one_that_is_there_is_cut_anew_where_that_pays():
    async def scenario():
        held, engine, _ = library(CUT)
        first = await held.load(needed(A), WASM, right)
        second = await held.load(needed(B), WASM, right)
        assert engine.log == ["load a", "unload a", "load trunk", "load left", "load right"]
        assert (first.layout, second.layout) == (BESIDE["a"], BESIDE["b"])
        assert held.find(A, WASM, {}) is first
        assert {len(one.users) for one in (first.held[0], second.held[0])} == {2}

    run(scenario())


def test_one_that_is_there_stays_as_it_is_where_that_does_not_pay():
    async def scenario():
        held, engine, arranged = library()
        first = await held.load(needed(A), WASM, right)
        await held.load(needed(B), WASM, right)
        assert engine.log == ["load a", "load b"]
        assert arranged.asked == [("a", "b")]
        assert first.layout.is_file

    run(scenario())


def test_models_that_are_not_to_share_are_never_laid_out_together():
    async def scenario():
        engine = Engine().named("a", "b")
        held = Library(engine.ask, None, 1000)
        await held.load(needed(A), WASM, right)
        await held.load(needed(B), WASM, right)
        assert engine.log == ["load a", "load b"]

    run(scenario())


@pytest.mark.parametrize("refused", ["trunk", "left", "right"])
def test_a_component_that_cannot_be_loaded_leaves_both_whole(refused):
    async def scenario():
        held, engine, arranged = library(CUT)
        engine.refused[refused] = "model_invalid"
        first = await held.load(needed(A), WASM, right)
        second = await held.load(needed(B), WASM, right)
        assert second.layout.is_file
        assert held.find(A, WASM, {}) is None  # it went with what was tried
        again = await held.load(needed(A), WASM, right)
        assert again is not first
        assert again.layout.is_file
        assert engine.holds == ["a", "b"]
        assert len(arranged.asked) == 1  # what did not do is not tried again
        await held.unload(A)
        await held.unload(B)
        assert engine.holds == []

    run(scenario())


def test_a_model_that_cannot_be_loaded_at_all_is_an_error_and_leaves_nothing():
    async def scenario():
        held, engine, _ = library()
        engine.refused["a"] = "model_invalid"
        for _ in range(2):
            with pytest.raises(AccelerateError, match="a can't be loaded"):
                await held.load(needed(A), WASM, right)
        assert (engine.holds, held.models, held.holding.held) == ([], {}, {})

    run(scenario())


@pytest.mark.parametrize("gate", ["trunk", "left", "right"])
def test_whoever_gives_up_in_the_middle_leaves_nothing(gate):
    async def scenario():
        held, engine, _ = library(CUT)
        await held.load(needed(A), WASM, right)
        engine.gates[gate] = asyncio.Event()
        loading = asyncio.create_task(held.load(needed(B), WASM, right))
        await until(lambda: engine.log[-1] == f"load {gate}")
        loading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loading
        await until(lambda: not held._change.locked())
        assert (engine.holds, held.models, held.holding.held) == ([], {}, {})
        del engine.gates[gate]
        await held.load(needed(B), WASM, right)
        await held.load(needed(A), WASM, right)
        assert engine.holds == ["left", "right", "trunk"]  # giving up speaks against nothing

    run(scenario())


async def until(condition):
    while not condition():  # noqa: ASYNC110 - a task's steps set no events
        await asyncio.sleep(0)


def test_whoever_asks_while_another_gives_up_is_served():
    async def scenario():
        held, engine, _ = library()
        engine.gates["a"] = asyncio.Event()
        first = asyncio.create_task(held.load(needed(A), WASM, right))
        await until(lambda: engine.log)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        second = asyncio.create_task(held.load(needed(A), WASM, right))
        await asyncio.sleep(0)
        engine.gates["a"].set()
        loaded = await second
        assert loaded.ready.is_set()
        assert held.models == {loaded.key: loaded}
        assert engine.holds == ["a"]

    run(scenario())


def test_one_who_gives_up_does_not_end_the_load_for_the_others():
    async def scenario():
        held, engine, _ = library()
        engine.gates["a"] = asyncio.Event()
        first, second = (asyncio.create_task(held.load(needed(A), WASM, right)) for _ in range(2))
        await until(lambda: engine.log)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        engine.gates["a"].set()
        assert (await second).ready.is_set()
        assert engine.log == ["load a"]

    run(scenario())


def test_one_who_gives_up_in_a_check_leaves_the_others_serving():
    async def scenario():
        held, _, _ = library(
            {
                ("a", "b"): BESIDE,
                ("a", "b", "c"): {"a": chain(LOW, LEFT), "b": chain(LOW, RIGHT), "c": chain(LOW)},
            }
        )
        first = await held.load(needed(A), WASM, right)
        second = await held.load(needed(B), WASM, right)
        never, checked = asyncio.Event(), []

        async def endless(loaded):
            checked.append(loaded)
            await never.wait()

        loading = asyncio.create_task(held.load(needed(C), WASM, endless))
        await until(lambda: checked)
        loading.cancel()
        await asyncio.gather(loading, return_exceptions=True)
        for manifest in (A, B, C):
            assert (await held.load(needed(manifest), WASM, right)).ready.is_set()
        assert all(one.ready.is_set() for one in (first, second))

    run(scenario())


def test_the_last_user_takes_a_component_and_what_it_made_along():
    async def scenario():
        held, engine, _ = library(CUT)
        await held.load(needed(A), WASM, right)
        second = await held.load(needed(B), WASM, right)
        plan = await served(held, engine, second)
        assert [one.handle for one in plan.made] == sorted(engine.handles)
        assert held.recall.remembered.size == 100
        await held.unload(B)
        assert engine.holds == ["left", "trunk"]
        assert len(engine.handles) == 1  # it serves the other one still
        await held.unload(A)
        assert engine.log[-3:-1] == ["drop 1", "unload trunk"]  # a tensor is freed before its maker
        assert (engine.holds, engine.handles, len(held.recall.remembered)) == ([], set(), 0)

    run(scenario())


def test_one_that_computes_wrongly_as_components_serves_as_a_whole():
    async def scenario():
        held, engine, _ = library(CUT)
        await held.load(needed(A), WASM, right)
        checked = []

        async def wrong(loaded):
            checked.append((loaded.needed.model.name, loaded.layout.is_file))
            if not loaded.layout.is_file:
                raise PoolError("It computes wrongly.", code="wrong_numbers")

        second = await held.load(needed(B), WASM, wrong)
        assert second.layout.is_file
        assert checked == [("a", False), ("b", False), ("b", True)]
        assert engine.holds == ["b"]  # the first is loaded when it is needed
        first = await held.load(needed(A), WASM, wrong)
        assert first.layout.is_file
        assert engine.holds == ["a", "b"]

    run(scenario())


def test_one_that_is_wrong_as_its_own_file_is_an_error():
    async def scenario():
        held, engine, _ = library()

        async def wrong(_loaded):
            raise PoolError("It computes wrongly.", code="wrong_numbers")

        with pytest.raises(PoolError, match="wrongly"):
            await held.load(needed(A), WASM, wrong)
        assert (engine.holds, held.models) == ([], {})

    run(scenario())


def test_the_one_component_that_equal_models_are_is_given_up_for_the_file_too():
    async def scenario():
        held, engine, _ = library({("a", "b"): {"a": chain(TRUNK), "b": chain(TRUNK)}})
        engine.refused["trunk"] = "model_invalid"
        await held.load(needed(A), WASM, right)
        assert (await held.load(needed(B), WASM, right)).layout.is_file
        del engine.refused["trunk"]

        async def wrong_as_a_part(loaded):
            if not loaded.layout.is_file:
                raise PoolError("It computes wrongly.", code="wrong_numbers")

        other, engine, _ = library({("a", "b"): {"a": chain(TRUNK), "b": chain(TRUNK)}})
        await other.load(needed(A), WASM, right)
        assert (await other.load(needed(B), WASM, wrong_as_a_part)).layout.is_file

    run(scenario())


def test_the_end_of_an_engine_clears_all():
    async def scenario():
        held, engine, _ = library(CUT)
        await held.load(needed(A), WASM, right)
        second = await held.load(needed(B), WASM, right)
        plan = await served(held, engine, second)
        held.clear()
        assert held.find(B, WASM, {}) is None
        assert not second.holds(plan)
        assert (held.models, held.holding.held, len(held.recall.remembered)) == ({}, {}, 0)
        engine.loaded.clear()
        assert (await held.load(needed(B), WASM, right)).layout.is_file
        assert engine.holds == ["b"]

    run(scenario())


def test_a_load_that_an_engines_end_breaks_off_is_an_error_and_speaks_against_nothing():
    async def scenario():
        held, engine, _ = library(CUT)
        await held.load(needed(A), WASM, right)
        engine.gates["trunk"] = asyncio.Event()
        loading = asyncio.create_task(held.load(needed(B), WASM, right))
        await until(lambda: engine.log[-1] == "load trunk")
        engine.lost = True
        engine.refused["trunk"] = "connection_lost"
        engine.gates["trunk"].set()
        with pytest.raises(AccelerateError) as caught:
            await loading
        assert caught.value.code == "connection_lost"
        held.clear()
        engine.lost = False
        engine.loaded.clear()
        engine.refused.clear()
        await held.load(needed(A), WASM, right)
        await held.load(needed(B), WASM, right)
        assert engine.holds == ["left", "right", "trunk"]

    run(scenario())


def test_an_engine_that_is_replaced_while_models_are_laid_out_gets_only_what_is_asked_for():
    async def scenario():
        held, engine, arranged = library(CUT)
        await held.load(needed(A), WASM, right)

        async def replaced():
            held.clear()
            engine.loaded.clear()
            arranged.before = None

        arranged.before = replaced
        second = await held.load(needed(B), WASM, right)
        assert second.layout.is_file
        assert engine.holds == ["b"]
        await held.unload(B)
        assert (engine.holds, held.holding.held) == ([], {})

    run(scenario())


def test_two_that_share_and_come_together_are_each_loaded_once():
    async def scenario():
        held, engine, _ = library(CUT)
        both = await asyncio.gather(
            held.load(needed(A), WASM, right),
            held.load(needed(B), WASM, right),
            held.load(needed(A), WASM, right),
        )
        assert both[0] is both[2]
        assert engine.holds == ["left", "right", "trunk"]
        assert all(one.ready.is_set() for one in both)

    run(scenario())


def test_a_check_may_load_its_model_in_another_shape_whoever_waits_for_that():
    async def scenario():
        held, engine, _ = library()
        wide = model("a")
        at = {size: needed(wide, dimensions=lambda _, size=size: {"n": size}) for size in (1, 8)}

        async def by_another(loaded):
            if loaded.dimensions != {"n": 8}:
                await asyncio.sleep(0)
                await held.load(at[8], WEBNN, right)

        engine.gates["a"] = asyncio.Event()
        loading = asyncio.create_task(held.load(at[1], WEBNN, by_another))
        await until(lambda: engine.log)
        other = asyncio.create_task(held.load(at[8], WEBNN, by_another))
        await asyncio.sleep(0)
        engine.gates["a"].set()
        assert (await loading).dimensions == {"n": 1}
        assert (await other).dimensions == {"n": 8}
        assert engine.log == ["load a", "load a"]

    run(scenario())


def test_of_many_shapes_the_one_that_came_first_goes():
    async def scenario():
        held, engine, _ = library()
        for size in range(MOST_SHAPES + 2):
            await held.load(needed(A, dimensions=lambda _, size=size: {"n": size}), WEBNN, right)
        assert len(engine.loaded) == len(held.models) == MOST_SHAPES
        assert held.find(A, WEBNN, {"n": 1}) is None
        assert held.find(A, WEBNN, {"n": 2}) is not None

    run(scenario())


def test_where_shapes_are_fixed_only_those_of_one_shape_share():
    async def scenario():
        held, engine, arranged = library(CUT)

        def of(manifest, size):
            return needed(manifest, dimensions=lambda _: {"n": size})

        await held.load(of(A, 4), WEBNN, right)
        await held.load(of(B, 8), WEBNN, right)
        assert arranged.asked == []
        await held.load(of(B, 4), WEBNN, right)
        assert engine.holds == ["b", "left", "right", "trunk"]

    run(scenario())


def test_on_two_platforms_nothing_is_shared():
    async def scenario():
        held, engine, arranged = library(CUT)
        await held.load(needed(A), WASM, right)
        await held.load(needed(B, dimensions=lambda _: {"n": 1}), WEBNN, right)
        assert arranged.asked == []
        assert engine.holds == ["a", "b"]

    run(scenario())


def test_a_load_of_several_components_is_one_figure():
    async def scenario():
        held, _, _ = library(CUT)
        told = []
        await held.load(needed(A), WASM, right)
        heard = needed(B, on_progress=lambda *figures: told.append(figures))
        await held.load(heard, WASM, right)
        # Three components of 110 bytes; each says that 5 of one came.
        assert told == [("fetch", 5, 330), ("fetch", 115, 330), ("fetch", 225, 330)]

    run(scenario())


def test_a_request_that_was_planned_before_a_change_says_that_it_must_be_planned_anew():
    async def scenario():
        held, engine, _ = library(CUT)
        first = await held.load(needed(A), WASM, right)
        plan = remembering(held, first)
        assert first.holds(plan)
        await held.load(needed(B), WASM, right)
        assert not first.holds(plan)
        plan = remembering(held, first)
        assert first.holds(plan)
        await held.unload(A)
        assert not first.holds(plan)
        assert engine.holds == ["right", "trunk"]

    run(scenario())


def test_an_answer_that_comes_during_a_change_is_counted_for_what_ran():
    async def scenario():
        held, engine, _ = library(CUT)
        first = await held.load(needed(A), WASM, right)
        then = first.as_it_is()
        plan = remembering(held, then)
        answer = await engine.ask(plan.message)
        ran = then.held[0]
        engine.gates["left"] = asyncio.Event()
        loading = asyncio.create_task(held.load(needed(B), WASM, right))
        await until(lambda: engine.log[-1] == "load left")
        held.recall.fulfil(plan, then, answer.value)
        assert ran.took_ms == 5
        assert (then.device, then.backend, then.weight_bytes) == ("cpu", "wasm", 100)
        assert held.find(A, WASM, {}) is None
        engine.gates["left"].set()
        await loading
        assert held.find(A, WASM, {}) is first
        assert [one.took_ms for one in first.held] == [None, None]

    run(scenario())


@pytest.mark.parametrize("unloaded", [A, B])
def test_one_that_is_unloaded_while_it_is_checked_is_not_held_to_be_wrong(unloaded):
    async def scenario():
        held, engine, _ = library(CUT)
        await held.load(needed(A), WASM, right)

        async def in_between(loaded):
            if loaded.needed.model == unloaded:
                await held.unload(unloaded)
                raise PoolError("It is not there.", code="model_not_loaded")

        await asyncio.gather(held.load(needed(B), WASM, in_between), return_exceptions=True)
        assert held.find(unloaded, WASM, {}) is None
        for manifest in (A, B):
            await held.load(needed(manifest), WASM, right)
        assert engine.holds == ["left", "right", "trunk"]

    run(scenario())
