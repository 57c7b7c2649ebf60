"""Both faces of the API, from every kind of caller."""

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.browser import graphs, processes

from ipfs_accelerate import Accelerator, AsyncAccelerator, ConfigError, PoolError

THREADS = 16


@pytest.fixture
def adding(tmp_path):
    return graphs.save(graphs.adding(), tmp_path / "adding.onnx")


def numbers(*values):
    return {"x": np.array(values, np.float32)}


def test_blocking_calls_inside_a_running_loop(accelerator, adding):
    async def blocked():
        return accelerator.run(adding, numbers(1, 2), remember=False).output.tolist()

    assert asyncio.run(blocked()) == [2, 3]


def test_awaiting_in_the_callers_own_loop(shared_cache, adding):
    async def awaited():
        async with AsyncAccelerator(cache_dir=shared_cache, websocket_port=0) as made:
            ticks = 0

            async def tick():
                nonlocal ticks
                while True:
                    await asyncio.sleep(0)
                    ticks += 1

            ticking = asyncio.create_task(tick())
            results = await asyncio.gather(
                *(made.run(adding, numbers(number)) for number in range(20))
            )
            ticking.cancel()
            return ticks, [one.output.item() for one in results]

    ticks, values = asyncio.run(awaited())
    assert values == [number + 1 for number in range(20)]
    assert ticks > 20, "the loop stood still meanwhile"


def test_sixteen_threads_each_get_their_own_answer(accelerator):
    def own(number):
        texts = [f"thread {number} counts {n}" for n in range(1 + number % 3)]
        return texts, accelerator.embed(texts).output

    with ThreadPoolExecutor(THREADS) as threads:
        answers = list(threads.map(own, range(THREADS)))
    for texts, vectors in answers:
        again = accelerator.embed(texts, remember=False).output
        np.testing.assert_allclose(vectors, again, atol=1e-5)


def test_sixteen_threads_start_one_browser(make, adding):
    made = make()
    with ThreadPoolExecutor(THREADS) as threads:
        results = list(threads.map(lambda n: made.run(adding, numbers(n)), range(THREADS)))
    assert [one.output.item() for one in results] == [n + 1 for n in range(THREADS)]
    assert made.get_metrics()["resource_pool"]["workers"] == 1


def test_the_thread_that_started_everything_may_end(make, adding):
    made = make()
    starter = threading.Thread(target=made.run, args=(adding, numbers(1)))
    starter.start()
    starter.join()
    assert made.run(adding, numbers(2)).output.tolist() == [3]


def test_blocks_may_be_nested(make, adding):
    with make() as outer:
        with outer as same:
            assert same.run(adding, numbers(1)).output.tolist() == [2]
        with pytest.raises(PoolError) as caught:
            outer.run(adding, numbers(1))
        assert caught.value.code == "closed"


@pytest.mark.parametrize("used", [True, False])
def test_closed_is_closed(make, adding, used):
    made = make()
    model = made.load(adding) if used else None
    made.close()
    made.close()
    for call in (
        lambda: made.run(adding, numbers(1)),
        lambda: made.embed("x"),
        lambda: made.put([1]),
        lambda: model(numbers(1)) if model else made.load(adding),
        made.ping,
    ):
        with pytest.raises(PoolError, match="closed") as caught:
            call()
        assert caught.value.code == "closed"
    assert "closed" in repr(made)


def test_calls_that_race_with_a_close_all_end(make, adding):
    made = make()
    made.run(adding, numbers(0))
    outcomes = []

    def call():
        while True:
            try:
                made.run(adding, numbers(0), remember=False)
            except PoolError as error:
                outcomes.append(error.code)
                return

    threads = [threading.Thread(target=call, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    made.close()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert len(outcomes) == len(threads)
    assert set(outcomes) <= {"closed", "worker_lost"}


def test_two_at_once(make, adding):
    one, other = make(), make()
    assert one.run(adding, numbers(1)).output.tolist() == [2]
    assert other.run(adding, numbers(2)).output.tolist() == [3]
    one.close()
    assert other.run(adding, numbers(3)).output.tolist() == [4]


def test_a_model_keeps_its_accelerator(shared_cache, adding):
    def made():
        return Accelerator(cache_dir=shared_cache, websocket_port=0).load(adding)

    model = made()
    assert model(numbers(1)).output.tolist() == [2]


def test_a_blocking_call_on_the_accelerators_own_loop_is_refused(shared_cache, tmp_path):
    caught: list[ConfigError] = []

    def show(stage, done, total):
        try:
            made.ping()
        except ConfigError as error:
            caught.append(error)

    made = Accelerator(cache_dir=shared_cache, websocket_port=0, on_progress=show)
    with made:
        made.load(weighty(tmp_path))
    assert caught
    assert "AsyncAccelerator" in str(caught[0])


def test_a_progress_callback_that_fails_fails_its_own_load_alone(shared_cache, tmp_path, adding):
    class OnceError(Exception):
        pass

    def show(stage, done, total):
        raise OnceError(stage)

    with Accelerator(cache_dir=shared_cache, websocket_port=0, on_progress=show) as made:
        with pytest.raises(OnceError):
            made.load(weighty(tmp_path))
        assert made.ping() > 0


def test_another_loop_is_refused(shared_cache, adding):
    made = AsyncAccelerator(cache_dir=shared_cache, websocket_port=0)

    async def first():
        await made.run(adding, numbers(1))
        with ThreadPoolExecutor(1) as other:
            error = await asyncio.wrap_future(other.submit(asyncio.run, second()))
        assert isinstance(error, ConfigError)
        assert "another event loop" in str(error)
        await made.close()

    async def second():
        try:
            await made.run(adding, numbers(1))
        except ConfigError as error:
            return error

    asyncio.run(first())


def test_the_guides_names(accelerator, adding):
    model = accelerator.accelerate_model(str(adding))
    assert [one.output.item() for one in model.run_batch([numbers(1), numbers(2)])] == [2, 3]
    assert accelerator.run_inference(str(adding), numbers(6)).output.item() == 7
    batch = accelerator.run_batch_inference(str(adding), [numbers(n) for n in range(7, 12)], 2)
    assert [one.output.item() for one in batch] == [8, 9, 10, 11, 12]
    assert model.get_performance_metrics()
    assert accelerator.get_metrics()["bridge"]["late_replies"] == 0


def weighty(folder):
    """A model with a weight that is fetched, so that its load says how far it is."""
    weights = np.ones((2048, 1024), np.float32)
    made = graphs.model(
        [graphs.node("MatMul", "x weights", "out")],
        [graphs.floats("x", ["n", 2048])],
        [graphs.floats("out", ["n", 1024])],
        {"weights": weights},
    )
    return graphs.save(made, folder / "weighty.onnx")


def test_one_collected_on_its_own_loop_still_ends_its_browser(tmp_path, adding):
    made = Accelerator(cache_dir=tmp_path / "cache", websocket_port=0)
    made.run(adding, numbers(1))
    portal = made._portal
    circle = [made]
    circle.append(circle)  # type: ignore[arg-type]  # a circle is the point
    del made, circle
    portal._loop.call_soon_threadsafe(gc.collect)
    assert processes.none_left(tmp_path / "cache")
    assert processes.until(lambda: not portal._thread.is_alive())


def test_closing_ends_a_start_that_is_under_way(make, adding):
    made = make()
    with ThreadPoolExecutor(1) as other:
        started = other.submit(made.run, adding, numbers(1))
        assert processes.until(lambda: made._core._starting is not None)
        made.close()
        with pytest.raises(PoolError) as caught:
            started.result(30)
    assert caught.value.code in ("closed", "worker_lost")
