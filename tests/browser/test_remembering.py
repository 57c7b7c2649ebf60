"""What was computed is given again: the same numbers, counted as what they are, within a budget."""

import asyncio
import sys
from typing import Any

import numpy as np
import pytest
from tests.browser import graphs, processes
from tests.browser.graphs import floats, node
from tests.browser.test_sharing import layouts, tally, worker_of

from ipfs_accelerate import AsyncAccelerator
from ipfs_accelerate.errors import PoolError
from ipfs_accelerate.memory import LEAST_BYTES
from ipfs_accelerate.protocol.messages import Drop

WHERE = {"browser": "portable", "threads": 1}
REPEATED = 0.3


@pytest.fixture
def adding(tmp_path):
    return graphs.save(graphs.adding(), tmp_path / "adding.onnx")


@pytest.fixture
def noise(tmp_path):
    """out = x + noise."""
    made = graphs.model(
        [node("RandomNormalLike", "x", "noise"), node("Add", "x noise", "out")],
        [floats("x", ["n"])],
        [floats("out", ["n"])],
    )
    return graphs.save(made, tmp_path / "noise.onnx")


def x(number, length=4):
    return {"x": np.full(length, number, np.float32)}


def asked(count):
    """Numbers, of which some come again."""
    random = np.random.default_rng(count)
    numbers: list[int] = []
    for new in range(count):
        again = numbers and random.random() < REPEATED
        numbers.append(int(random.choice(numbers)) if again else new)
    return numbers


def unmoved(metrics):
    """What of the metrics a result that did not run may not change."""
    return metrics["aggregate"], metrics["models"]


def hits(accelerator, adding, count):
    """How many of the requests were given again, all of which are right and say what they are."""
    seen: set[int] = set()
    first: dict[int, Any] = {}
    for number in asked(count):
        before = unmoved(accelerator.get_metrics())
        result = accelerator.run(adding, x(number))
        assert result.cached == (number in seen)
        assert np.array_equal(result.output, np.full(4, number + 1, np.float32))
        if result.cached:
            assert result.output is first[number]
            assert not result.output.flags.writeable
            assert unmoved(accelerator.get_metrics()) == before
            assert result.inference_time == 0
            (reused,) = result.shared_tensors_used
            assert (reused.name, reused.size) == ("adding.out", 16)
        else:
            assert accelerator.get_metrics()["models"]["adding"]["runs"] == len(seen) + 1
        seen.add(number)
        first.setdefault(number, result.output)
    return count - len(seen)


def hold_repeats(accelerator, adding, count):
    repeats = hits(accelerator, adding, count)
    remembered = accelerator.get_metrics()["remembered"]
    assert remembered["hits"] == repeats > 0.2 * count
    assert remembered["misses"] == remembered["results"] == count - repeats
    assert remembered["saved_bytes"] == 16 * repeats
    return repeats


@pytest.mark.parametrize("platform", ["wasm", "webnn"])
def test_exactly_what_comes_again_is_given_again(make, adding, platform):
    hold_repeats(make(platform=platform, **WHERE), adding, 200)


@pytest.mark.soak
@pytest.mark.parametrize("platform", ["wasm", "webnn"])
def test_exactly_what_comes_again_of_many_is_given_again(make, adding, platform):
    repeats = hold_repeats(make(platform=platform, **WHERE), adding, 1000)
    sys.stdout.write(f"{platform}: {repeats} of 1000 requests came again, each was a hit\n")


def test_the_budget_holds_and_the_longest_unused_goes(make, adding):
    accelerator = make(platform="wasm", remember_mb=1, **WHERE)
    results = accelerator._core._memory.results
    length = 25_000  # 100 kB
    fit = 1_000_000 // (4 * length + LEAST_BYTES)
    for number in range(2 * fit):
        accelerator.run(adding, x(number, length))
        assert results.size <= 1_000_000
    assert len(results) == fit
    assert accelerator.run(adding, x(2 * fit - 1, length)).cached
    assert not accelerator.run(adding, x(0, length)).cached
    assert not accelerator.run(adding, x(1, 300_000)).cached  # alone it is over the budget
    assert not accelerator.run(adding, x(1, 300_000)).cached


def test_what_the_worker_keeps_is_within_its_budget_too(make, tmp_path):
    accelerator = make(platform="wasm", remember_mb=1, **WHERE)
    # 100 kB cross the cut, behind work of some milliseconds.
    width, rows = 256, 100
    paths = [deep(tmp_path / f"{number}.onnx", width, number) for number in range(2)]
    for path in paths:
        accelerator.load(path)
    assert all(not one.is_whole for one in layouts(accelerator).values())
    random = np.random.default_rng(1)
    for _ in range(14):
        feeds = {"x": random.standard_normal((rows, width)).astype(np.float32)}
        outputs = [accelerator.run(path, feeds) for path in paths]
        assert tally(accelerator)["handle_bytes"] <= 1_000_000
    assert outputs[1].performance_metrics["reused"] == 1
    assert worker_of(accelerator).library.recall.remembered.size > 800_000
    assert tally(accelerator)["handles"] == len(worker_of(accelerator).library.recall.remembered)


def deep(path, width, own):
    """Forty matrices and a norm that all of them have, and a matrix of this one's own."""
    random = np.random.default_rng(2)
    nodes, last = [], "x"
    shared = random.standard_normal((width, width)).astype(np.float32) / 16
    tensors = {"w": shared, "s": shared[0], "own": np.eye(width, dtype=np.float32) * (own + 1)}
    for number in range(40):
        nodes.append(node("MatMul", f"{last} w", f"p{number}"))
        last = f"p{number}"
    nodes.append(node("LayerNormalization", f"{last} s", "n"))
    nodes.append(node("MatMul", "n own", "out"))
    ports = [floats(name, ["n", width]) for name in ("x", "out")]
    return graphs.save(graphs.model(nodes, ports[:1], ports[1:], tensors), path)


def test_it_is_turned_off_for_an_accelerator_a_model_or_a_call(make, adding):
    off = make(platform="wasm", remember=False, **WHERE)
    assert not [off.run(adding, x(1)).cached for _ in range(2)][1]
    assert off.run(adding, x(1), remember=True).cached is False
    assert off.run(adding, x(1), remember=True).cached
    assert off.get_metrics()["remembered"]["hits"] == 1
    on = make(platform="wasm", **WHERE)
    assert [on.run(adding, x(1)).cached for _ in range(2)] == [False, True]
    assert not on.run(adding, x(1), remember=False).cached
    never = on.load(adding, remember=False)
    assert not any(never(x(1)).cached for _ in range(2))
    assert on.load(adding)(x(1)).cached
    assert on.get_metrics()["models"]["adding"]["runs"] == 4


def test_accelerators_have_no_memory_in_common(make, adding):
    one, other = (make(platform="wasm", **WHERE) for _ in range(2))
    one.run(adding, x(1))
    assert not other.run(adding, x(1)).cached


def test_where_it_may_run_is_part_of_what_is_asked(make, adding):
    accelerator = make(platform="wasm", **WHERE)
    accelerator.run(adding, x(1))
    result = accelerator.run(adding, x(1), platform="webnn")
    assert (result.cached, result.platform) == (False, "webnn")
    assert accelerator.run(adding, x(1)).platform == "wasm"


def test_a_model_that_is_unloaded_or_changed_is_computed_anew(make, adding):
    accelerator = make(platform="wasm", **WHERE)
    accelerator.run(adding, x(1))
    accelerator.unload(adding)
    assert not accelerator.run(adding, x(1)).cached
    graphs.save(graphs.scaling(), adding)
    result = accelerator.run(adding, x(1))
    assert (result.cached, result.output.tolist()) == (False, [2.0] * 4)
    graphs.save(graphs.adding(), adding)
    assert accelerator.run(adding, x(1)).cached  # it is the one that it was


def test_what_is_random_is_never_given_again(make, noise):
    accelerator = make(platform="wasm", **WHERE)
    results = [accelerator.run(noise, x(1, 64)) for _ in range(3)]
    assert not any(one.cached for one in results)
    assert not np.array_equal(results[0].output, results[1].output)
    assert accelerator.get_metrics()["remembered"]["misses"] == 0


def test_what_stays_on_the_worker_or_lies_there_is_never_given_again(make, adding):
    accelerator = make(platform="wasm", **WHERE)
    there = accelerator.put(x(1)["x"])
    assert not any(accelerator.run(adding, {"x": there}).cached for _ in range(2))
    kept = [accelerator.run(adding, x(1), keep=["out"]) for _ in range(2)]
    assert not any(one.cached for one in kept)
    handles = {one.output_tensors["out"].handle for one in kept}
    assert len(handles) == 2
    assert len(accelerator._core._memory.results) == 0


def run(scenario):
    async def bounded():
        async with asyncio.timeout(60):
            return await scenario

    return asyncio.run(bounded())


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def opened(folder, **options):
    return AsyncAccelerator(cache_dir=folder, websocket_port=0, threads=1, **options)


def test_two_who_ask_for_the_same_at_once_compute_it_once(shared_cache, adding):
    async def scenario():
        async with opened(shared_cache, platform="wasm") as made:
            results = await asyncio.gather(*(made.run(adding, x(1)) for _ in range(8)))
            assert sum(one.cached for one in results) == 7
            assert all(one.output.tolist() == [2] * 4 for one in results)
            metrics = made.get_metrics()
            assert metrics["models"]["adding"]["runs"] == 1
            assert (metrics["remembered"]["hits"], metrics["remembered"]["misses"]) == (7, 1)

    run(scenario())


def test_where_the_one_who_computes_gives_up_another_does(shared_cache, tmp_path):
    slow = graphs.save(graphs.slow(), tmp_path / "slow.onnx")

    async def scenario():
        async with opened(shared_cache, platform="wasm") as made:
            await made.load(slow)
            feeds = graphs.times(200)
            first, second = (asyncio.create_task(made.run(slow, feeds)) for _ in range(2))
            await asyncio.sleep(0.1)
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            result = await second
            assert (result.cached, result.output[0, 0]) == (False, 1)
            assert (await made.run(slow, feeds)).cached

    run(scenario())


def test_two_who_share_a_part_and_come_together_compute_it_once(shared_cache, tmp_path):
    paths = [deep(tmp_path / f"{number}.onnx", 256, number) for number in range(3)]

    async def scenario():
        async with opened(shared_cache, platform="wasm") as made:
            for path in paths:
                await made.load(path)
            feeds = {"x": np.eye(256, dtype=np.float32)}
            results = await asyncio.gather(*(made.run(path, feeds) for path in paths))
            assert sorted(one.performance_metrics["reused"] for one in results) == [0, 1, 1]
            for factor, result in enumerate(results, 1):
                np.testing.assert_allclose(result.output, results[0].output * factor, rtol=1e-5)

    run(scenario())


@pytest.mark.parametrize("killed", ["browser", "engine"])
def test_after_a_worker_is_lost_with_what_it_remembered_the_next_request_is_right(
    cache, tmp_path, killed
):
    paths = [deep(tmp_path / f"{number}.onnx", 256, number) for number in range(2)]
    feeds = {"x": np.eye(256, dtype=np.float32)}

    async def scenario():
        async with opened(cache, platform="wasm") as made:
            for path in paths:
                await made.load(path)
            first = await made.run(paths[0], feeds)
            (worker,) = made._pool._workers.values()
            assert len(worker.library.recall.remembered) == 1
            if killed == "browser":
                for pid in processes.of_folder(cache):
                    processes.kill(pid)
                await worker.ended.wait()
            else:
                worker.engine_came.clear()
                await worker.restart_engine("a test")
                await worker.engine_came.wait()
            codes = []
            while True:
                try:
                    second = await made.run(paths[1], feeds)
                    break
                except PoolError as error:
                    codes.append(error.code)
            assert len(codes) <= 1
            assert second.shared_tensors_used == ()
            np.testing.assert_allclose(second.output, first.output * 2, rtol=1e-5)
            assert (await made.run(paths[0], feeds)).cached  # that is the host's own

    run(scenario())


def test_what_is_gone_from_the_worker_is_computed_anew(shared_cache, tmp_path):
    paths = [deep(tmp_path / f"{number}.onnx", 256, number) for number in range(2)]
    feeds = {"x": np.eye(256, dtype=np.float32)}

    async def scenario():
        async with opened(shared_cache, platform="wasm") as made:
            for path in paths:
                await made.load(path)
            first = await made.run(paths[0], feeds)
            (worker,) = made._pool._workers.values()
            (entry,) = worker.library.recall.remembered._entries.values()
            await worker.ask(Drop(handles=(entry.value,)))
            second = await made.run(paths[1], feeds)
            assert second.shared_tensors_used == ()
            np.testing.assert_allclose(second.output, first.output * 2, rtol=1e-5)

    run(scenario())


def test_whoever_counts_on_what_another_gives_up_is_served(shared_cache, tmp_path):
    paths = [deep(tmp_path / f"{number}.onnx", 256, number) for number in range(3)]
    random = np.random.default_rng(5)

    async def scenario():
        async with opened(shared_cache, platform="wasm") as made:
            for path in paths:
                await made.load(path)
            for number in range(20):
                feeds = {"x": np.eye(256, dtype=np.float32) * (number + 1)}
                tasks = [asyncio.create_task(made.run(path, feeds)) for path in paths]
                await asyncio.sleep(random.random() / 20)
                tasks[0].cancel()
                await asyncio.wait(tasks[:1])
                one, two = await asyncio.gather(*tasks[1:])
                np.testing.assert_allclose(two.output, one.output * 1.5, rtol=1e-5)
            (worker,) = made._pool._workers.values()
            await asyncio.sleep(0)
            there = await worker.tally()
            assert there["handles"] == there["tensors"] == len(worker.library.recall.remembered)

    run(scenario())
