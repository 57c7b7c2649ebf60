"""What an engine holds of what it computed: promised, measured, given up, and freed."""

import asyncio
from types import SimpleNamespace

from tests.unit.pool.parts import WASM, WEBNN, component

from ipfs_accelerate.pool.holding import Held
from ipfs_accelerate.pool.plan import Made, Plan
from ipfs_accelerate.pool.recall import LEAST_MS, Recall
from ipfs_accelerate.protocol.messages import Run

TRUNK, HEAD = component("trunk", macs=299), component("head", macs=99)
FRESH = iter(range(9))


class Engine:
    """Notes what it is told to free."""

    def __init__(self):
        self.dropped: list[int] = []

    async def ask(self, message):
        self.dropped += message.handles


def loaded(ability=WASM, users=2):
    """What a request knows of a model of two components, the first of which others use too."""
    held = (Held(TRUNK, {}, {str(one) for one in range(users)}), Held(HEAD, {}, {"0"}))
    return SimpleNamespace(ability=ability, held=held, keys=("TRUNK", "HEAD"))


def plan(handle, key="k"):
    """A plan that runs both, and keeps what the first one gives."""
    made = Made(key, handle, 0, 0, "b")
    return Plan(Run(steps=(), fetch=(), keep=()), {}, (0, 1), {0: (), 1: (0,)}, (), (made,))


def answer(*handles, ms=(4.0, 2.0), fetch_ms=8.0, items=25):
    kept = [{"handle": one, "dtype": "F32", "shape": [items]} for one in handles]
    return {"steps": [{"run_ms": one} for one in ms], "kept": kept, "fetch_ms": fetch_ms}


def scenario(most_bytes=1000):
    engine = Engine()
    return Recall(engine.ask, most_bytes), engine


def run(work):
    async def bounded():
        async with asyncio.timeout(20):
            await work()
            await asyncio.sleep(0)

    asyncio.run(bounded())


def test_what_is_promised_is_there_at_once_and_measured_when_it_has_come():
    async def work():
        recall, engine = scenario()
        recall.promise(plan(1), loaded())
        entry = recall.remembered.find("k")
        assert entry is not None
        assert (entry.value, entry.owner, entry.size) == (1, "TRUNK", 0)
        recall.fulfil(plan(1), loaded(), answer(1))
        assert (entry.size, entry.took_ms, engine.dropped) == (100, 4.0, [])

    run(work)


def test_where_two_have_made_the_same_the_later_one_stays():
    async def work():
        recall, engine = scenario()
        recall.promise(plan(1), loaded())
        recall.promise(plan(2), loaded())
        recall.fulfil(plan(1), loaded(), answer(1))
        recall.fulfil(plan(2), loaded(), answer(2))
        await asyncio.sleep(0)
        assert (engine.dropped, recall.remembered.size) == ([1], 100)

    run(work)


def test_what_is_over_the_budget_is_freed():
    async def work():
        recall, engine = scenario(150)
        for handle in (1, 2):
            recall.promise(plan(handle, str(handle)), loaded())
            recall.fulfil(plan(handle, str(handle)), loaded(), answer(handle))
        await asyncio.sleep(0)
        assert (engine.dropped, recall.remembered.size) == ([1], 100)

    run(work)


def test_what_did_not_come_is_withdrawn_unless_another_made_it():
    async def work():
        recall, engine = scenario()
        recall.promise(plan(1), loaded())
        recall.withdraw(plan(1))
        assert len(recall.remembered) == 0
        recall.promise(plan(2), loaded())
        recall.withdraw(plan(1))
        assert len(recall.remembered) == 1
        await asyncio.sleep(0)
        assert engine.dropped == [1]

    run(work)


def test_only_what_several_use_and_takes_its_time_is_worth_it():
    recall, _ = scenario()
    there = loaded()
    memory = recall.memory(there, lambda *_: None, FRESH)
    assert memory is not None
    assert [memory.worth(stage) for stage in (0, 1)] == [True, False]
    there.held[0].took_ms = LEAST_MS / 2
    assert not memory.worth(0)
    there.held[0].took_ms = LEAST_MS
    assert memory.worth(0)


def test_where_nothing_is_worth_it_no_input_has_to_be_named():
    recall, _ = scenario()
    assert recall.memory(loaded(users=1), lambda *_: None, FRESH) is None


def test_a_device_that_computes_on_is_waited_for_by_each_step_as_it_has_work():
    async def work():
        recall, _ = scenario()
        there = loaded(WEBNN)
        recall.promise(plan(1), there)
        recall.fulfil(plan(1), there, answer(1))
        assert [one.took_ms for one in there.held] == [4 + 8 * 0.75, 2 + 8 * 0.25]

    run(work)


def test_a_plan_in_which_nothing_ran_took_nothing():
    recall, _ = scenario()
    nothing = Plan(Run(steps=(), fetch=(), keep=()), {})
    recall.fulfil(nothing, loaded(WEBNN), answer(ms=()))


def test_what_a_component_made_goes_with_it_and_all_goes_with_the_engine():
    async def work():
        recall, engine = scenario()
        recall.promise(plan(1), loaded())
        await recall.forget("HEAD")
        assert engine.dropped == []
        await recall.forget("TRUNK")
        assert engine.dropped == [1]
        recall.promise(plan(2), loaded())
        recall.clear()
        assert (engine.dropped, len(recall.remembered)) == ([1], 0)

    run(work)
