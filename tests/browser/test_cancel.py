"""What is given up, lasts too long or loses its browser ends; what waits behind it is served."""

import asyncio
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import numpy as np
import pytest
from tests.browser import graphs, processes
from tests.browser.graphs import FOREVER, times

from ipfs_accelerate import Accelerator, AsyncAccelerator, PoolError

SOON_S = 20
"""Far less than FOREVER takes, and far more than any remedy needs."""


@pytest.fixture
def slow(tmp_path):
    return graphs.save(graphs.slow(), tmp_path / "slow.onnx")


@pytest.fixture
def adding(tmp_path):
    return graphs.save(graphs.adding(), tmp_path / "adding.onnx")


@pytest.fixture
def cache(tmp_path):
    """A cache of this test's own, by which its processes are known."""
    return tmp_path / "cache"


@asynccontextmanager
async def opened(cache, **options):
    async with AsyncAccelerator(cache_dir=cache, websocket_port=0, **options) as made:
        yield made


def small(number=1.0):
    return {"x": np.array([number], np.float32)}


async def until(condition):
    while not condition():  # noqa: ASYNC110 - processes and beats set no events
        await asyncio.sleep(0.05)


async def busy(made):
    """Wait until the engine is known to be in a run."""
    await until(lambda: is_busy(made))


async def served(made, path, number):
    """The result of the first call that is not lost, and how the ones before it were."""
    codes: list[str] = []
    while True:
        try:
            return (await made.run(path, small(number), remember=False)).output.item(), codes
        except PoolError as error:
            codes.append(error.code)


def is_busy(made):
    """Whether the page said so of what is asked now: its last word may be about a load before."""
    (worker,) = made._pool._workers.values()
    return worker.page.beat is not None and worker.page.beat.request in worker.engine._waiting


def engine_of(made):
    (worker,) = made._pool._workers.values()
    return worker.engine


def run(scenario):
    async def bounded():
        async with asyncio.timeout(60):
            return await scenario

    return asyncio.run(bounded())


def test_a_cancelled_run_lets_go_at_once_and_its_engine_is_replaced(cache, slow, adding):
    async def scenario():
        async with opened(cache) as made:
            await made.load(slow)
            before = engine_of(made)
            running = asyncio.create_task(made.run(slow, FOREVER))
            await busy(made)
            running.cancel()
            _, waiting = await asyncio.wait([running], timeout=1)
            assert not waiting
            async with asyncio.timeout(SOON_S):
                assert (await made.run(adding, small())).output.tolist() == [2]
            assert engine_of(made) is not before
            assert (await made.run(slow, times(3))).output[0, 0] == 1

    run(scenario())


def test_a_run_beyond_its_time_fails_and_what_waited_is_served(cache, slow, adding):
    async def scenario():
        async with opened(cache, inference_timeout_s=3) as made:
            await asyncio.gather(made.load(slow), made.load(adding))
            first = asyncio.create_task(made.run(slow, FOREVER))
            await asyncio.sleep(0)
            behind = [asyncio.create_task(made.run(adding, small(n))) for n in range(4)]
            with pytest.raises(PoolError) as caught:
                await first
            assert caught.value.code == "timeout"
            assert caught.value.retryable
            assert "inference_timeout_s" in str(caught.value)
            async with asyncio.timeout(SOON_S):
                results = await asyncio.gather(*behind)
            assert [one.output.item() for one in results] == [1, 2, 3, 4]

    run(scenario())


def test_a_load_that_comes_to_its_engine_later_does_not_stand_before_a_run(cache, slow, adding):
    """It has waited for another change of the models: meanwhile the run was sent."""

    async def scenario():
        async with opened(cache, inference_timeout_s=3) as made:
            await made.load(slow)
            (worker,) = made._pool._workers.values()
            async with worker.library._change:
                behind = asyncio.create_task(made.run(adding, small()))
                await until(lambda: worker.library._loading)
                first = asyncio.create_task(made.run(slow, FOREVER))
                await until(lambda: worker.engine._waiting)
            with pytest.raises(PoolError) as caught:
                async with asyncio.timeout(SOON_S):
                    await first
            assert caught.value.code == "timeout"
            async with asyncio.timeout(SOON_S):
                assert (await behind).output.item() == 2

    run(scenario())


def test_a_cancel_of_what_waits_leaves_the_run_before_it_alone(cache, slow, adding):
    async def scenario():
        async with opened(cache) as made:
            await asyncio.gather(made.load(slow), made.load(adding))
            kept = await made.put(np.arange(3))
            before = engine_of(made)
            started = time.perf_counter()
            await made.run(slow, times(200))
            each_s = (time.perf_counter() - started) / 200
            running = asyncio.create_task(made.run(slow, times(int(4 / each_s))))
            await busy(made)
            behind = asyncio.create_task(made.run(adding, small()))
            await asyncio.sleep(0.1)
            behind.cancel()
            await asyncio.wait([behind])
            assert (await running).output[0, 0] == 1
            assert engine_of(made) is before
            assert (await made.get(kept)).tolist() == [0, 1, 2]

    run(scenario())


def test_a_killed_browser_fails_its_run_and_serves_what_waited(cache, slow, adding):
    async def scenario():
        async with opened(cache) as made:
            await asyncio.gather(made.load(slow), made.load(adding))
            first = asyncio.create_task(made.run(slow, FOREVER))
            await busy(made)
            behind = [asyncio.create_task(made.run(adding, small(n))) for n in range(3)]
            await asyncio.sleep(0.1)
            os.killpg(processes.browser_of(cache), signal.SIGKILL)
            with pytest.raises(PoolError) as caught:
                await first
            assert caught.value.code == "worker_lost"
            assert caught.value.retryable
            # The one that was on the worker too is lost with it; the others only waited.
            async with asyncio.timeout(SOON_S):
                outcomes = await asyncio.gather(*behind, return_exceptions=True)
                assert (await made.run(adding, small(5))).output.tolist() == [6]
            lost = [one for one in outcomes if isinstance(one, BaseException)]
            assert len(lost) <= 1
            assert all(isinstance(one, PoolError) and one.code == "worker_lost" for one in lost)

    run(scenario())


def test_a_killed_renderer_is_a_lost_worker(cache, slow, adding):
    async def scenario():
        async with opened(cache) as made:
            await made.load(slow)
            first = asyncio.create_task(made.run(slow, FOREVER))
            await busy(made)
            browser = processes.browser_of(cache)
            for pid in processes.renderers_of(cache):
                os.kill(pid, signal.SIGKILL)
            with pytest.raises(PoolError) as caught:
                await first
            assert caught.value.code == "worker_lost"
            async with asyncio.timeout(SOON_S):
                assert (await made.run(adding, small())).output.tolist() == [2]
            assert processes.browser_of(cache) != browser

    run(scenario())


def test_a_killed_idle_browser_is_replaced(cache, adding):
    async def scenario():
        async with opened(cache) as made:
            await made.run(adding, small())
            os.killpg(processes.browser_of(cache), signal.SIGKILL)
            async with asyncio.timeout(SOON_S):
                value, codes = await served(made, adding, 1)
            assert value == 2
            assert codes in ([], ["worker_lost"])

    run(scenario())


def test_a_page_that_stands_still_is_replaced_by_a_new_browser(cache, adding):
    async def scenario():
        async with opened(cache, inference_timeout_s=1) as made:
            await made.run(adding, small())
            stopped = processes.browser_of(cache)
            os.killpg(stopped, signal.SIGSTOP)
            with pytest.raises(PoolError) as caught:
                await made.run(adding, small(2))
            assert caught.value.code == "timeout"
            async with asyncio.timeout(SOON_S):
                value, codes = await served(made, adding, 4)
                await until(lambda: stopped not in processes.of_folder(cache))
            assert value == 5
            assert set(codes) <= {"timeout", "worker_lost"}
            assert processes.browser_of(cache) != stopped

    run(scenario())


def test_an_interrupt_in_a_blocking_call_cancels_it(cache, slow, adding):
    with Accelerator(cache_dir=cache, websocket_port=0) as made:
        made.load(slow)
        main = threading.get_ident()

        def interrupt():
            processes.until(lambda: is_busy(made._core))
            signal.pthread_kill(main, signal.SIGINT)

        with ThreadPoolExecutor(1) as other:
            other.submit(interrupt)
            with pytest.raises(KeyboardInterrupt):
                made.run(slow, FOREVER)
        assert made.run(adding, small()).output.tolist() == [2]


def test_a_close_ends_what_runs(cache, slow):
    async def scenario():
        async with opened(cache) as made:
            await made.load(slow)
            running = asyncio.create_task(made.run(slow, FOREVER))
            await busy(made)
        with pytest.raises(PoolError) as caught:
            await running
        assert caught.value.code == "closed"

    run(scenario())
    assert processes.none_left(cache)
