"""Results that are given again: computed once for all who come, and never where nobody may know."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.test_result import RESULT

from ipfs_accelerate.errors import InferenceError
from ipfs_accelerate.memory import LEAST_BYTES, Memory, again

METRICS = {"inference_ms": 8.0, "engine_ms": 9.0, "queued_ms": 1.0, "readbacks": 1, "load_ms": 70.0}


def result_of(*outputs):
    """A result with these outputs, y0 first."""
    tensors = {f"y{number}": one for number, one in enumerate(outputs)}
    return replace(RESULT, output_tensors=tensors, output=outputs[0], performance_metrics=METRICS)


ONE = result_of(np.ones(10, np.float32))


class Computed:
    """Something that computes when it is let, and counts how often."""

    def __init__(self, memory, key="k", error=None):
        self.times = 0
        self.let = asyncio.Event()
        self.error = error
        self._memory, self._key = memory, key

    async def __call__(self):
        self.times += 1
        await self.let.wait()
        if self.error is not None:
            raise self.error
        self._memory.keep(self._key, ONE, "m")
        return ONE


def run(scenario):
    async def bounded():
        async with asyncio.timeout(20):
            return await scenario

    return asyncio.run(bounded())


async def callers(memory, compute, count=2):
    """So many who ask for the same, all of whom are waiting."""
    tasks = [asyncio.create_task(memory.result("k", compute)) for _ in range(count)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return tasks


def test_what_was_computed_is_there():
    async def scenario():
        memory = Memory(10**6)
        compute = Computed(memory)
        compute.let.set()
        assert await memory.result("k", compute) == (ONE, False)
        assert await memory.result("k", compute) == (ONE, True)
        assert await memory.result("other", compute) == (ONE, False)
        assert compute.times == 2

    run(scenario())


def test_callers_who_come_together_compute_once():
    async def scenario():
        memory = Memory(10**6)
        compute = Computed(memory)
        tasks = await callers(memory, compute, 3)
        compute.let.set()
        assert await asyncio.gather(*tasks) == [(ONE, False), (ONE, True), (ONE, True)]
        assert compute.times == 1

    run(scenario())


def test_what_is_too_large_to_be_kept_is_computed_once_for_those_who_came_together():
    async def scenario():
        memory = Memory(0)
        compute = Computed(memory)
        tasks = await callers(memory, compute)
        compute.let.set()
        assert await asyncio.gather(*tasks) == [(ONE, False), (ONE, True)]
        assert await memory.result("k", compute) == (ONE, False)
        assert (compute.times, len(memory.results)) == (2, 0)

    run(scenario())


def test_where_the_first_one_gives_up_the_next_one_computes():
    async def scenario():
        memory = Memory(10**6)
        compute = Computed(memory)
        first, *others = await callers(memory, compute, 3)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await asyncio.sleep(0)
        compute.let.set()
        assert await asyncio.gather(*others) == [(ONE, False), (ONE, True)]
        assert compute.times == 2

    run(scenario())


def test_one_who_waits_and_gives_up_changes_nothing_for_the_others():
    async def scenario():
        memory = Memory(10**6)
        compute = Computed(memory)
        tasks = await callers(memory, compute, 3)
        tasks[1].cancel()
        await asyncio.gather(tasks.pop(1), return_exceptions=True)
        compute.let.set()
        assert await asyncio.gather(*tasks) == [(ONE, False), (ONE, True)]
        assert compute.times == 1

    run(scenario())


def test_an_error_reaches_all_who_wait_and_is_not_remembered():
    async def scenario():
        memory = Memory(10**6)
        compute = Computed(memory, error=InferenceError("no", code="run_failed"))
        tasks = await callers(memory, compute)
        compute.let.set()
        assert await asyncio.gather(*tasks, return_exceptions=True) == [compute.error] * 2
        compute.error = None
        assert await memory.result("k", compute) == (ONE, False)
        assert compute.times == 2

    run(scenario())


def test_an_error_that_nobody_waits_for_is_nobodys():
    async def scenario():
        memory = Memory(10**6)
        compute = Computed(memory, error=InferenceError("no", code="run_failed"))
        compute.let.set()
        with pytest.raises(InferenceError):
            await memory.result("k", compute)

    run(scenario())  # one that nobody fetched would be a warning


def test_two_memories_have_nothing_in_common():
    async def scenario():
        one, other = Memory(10**6), Memory(10**6)
        computes = Computed(one), Computed(other)
        for compute in computes:
            compute.let.set()
        assert await one.result("k", computes[0]) == (ONE, False)
        assert await other.result("k", computes[1]) == (ONE, False)

    run(scenario())


def test_the_results_of_a_model_are_forgotten_together():
    memory = Memory(10**6)
    memory.keep("a", ONE, "m")
    memory.keep("b", ONE, "other")
    memory.forget("m")
    assert memory.results.find("a") is None
    assert memory.results.find("b") is not None


def test_a_result_takes_its_outputs_and_what_comes_with_them():
    memory = Memory(10**6)
    memory.keep("a", result_of(np.ones(10, np.float32), np.ones(3, np.int64)), "m")
    assert memory.results.size == 40 + 24 + LEAST_BYTES


def test_many_results_of_hardly_any_bytes_are_within_the_budget_too():
    memory = Memory(10**6)
    for number in range(5000):
        memory.keep(str(number), result_of(np.ones(1, np.float32)), "m")
    assert len(memory.results) <= 10**6 / LEAST_BYTES


def test_for_whom_nothing_ran_there_is_nothing_that_took_time():
    two = result_of(np.ones(10, np.float32), np.ones(3, np.int64))
    given = again(two, 0.002)
    assert given.cached
    assert not two.cached
    assert given.output is two.output
    assert (given.inference_time, given.throughput_items_per_sec, given.latency_ms) == (0, 0, 2.0)
    assert [(one.name, one.size, one.saved_ms) for one in given.shared_tensors_used] == [
        ("m.y0", 40, 4.0),
        ("m.y1", 24, 4.0),
    ]
    metrics = given.performance_metrics
    assert [metrics[name] for name in ("inference_ms", "engine_ms", "queued_ms", "readbacks")] == [
        0
    ] * 4
    assert (metrics["reused"], metrics["saved_ms"], metrics["saved_bytes"]) == (2, 8.0, 64)
    assert (metrics["latency_ms"], metrics["load_ms"]) == (2.0, 70.0)


def test_a_result_without_outputs_is_given_again_too():
    assert again(replace(ONE, output_tensors={}), 0.0).shared_tensors_used == ()
