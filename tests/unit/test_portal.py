"""A loop on its own thread, reached from anywhere."""

import asyncio
import contextlib
import threading

import pytest

from ipfs_accelerate.errors import ConfigError, PoolError
from ipfs_accelerate.portal import Portal, check_fork


async def double(value: int) -> int:
    await asyncio.sleep(0)
    return 2 * value


def test_it_answers_any_thread_and_inside_a_running_loop() -> None:
    portal = Portal()
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(portal.call(double, n)))
        for n in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def inside() -> int:
        return portal.call(double, 21)

    assert sorted(results) == [2 * n for n in range(16)]
    assert asyncio.run(inside()) == 42
    portal.close()


def test_an_error_comes_out_as_it_is() -> None:
    portal = Portal()

    async def fail() -> None:
        raise PoolError("no", code="timeout")

    with pytest.raises(PoolError, match="no"):
        portal.call(fail)
    portal.close()


def test_a_call_from_its_own_loop_is_refused() -> None:
    portal = Portal()

    async def inside() -> None:
        portal.call(double, 1)

    with pytest.raises(ConfigError, match="AsyncAccelerator"):
        portal.call(inside)
    portal.close()


def test_once_closed_it_says_so_and_closing_again_is_nothing() -> None:
    portal = Portal()
    portal.close()
    portal.close()
    assert not portal.alive
    with pytest.raises(PoolError, match="closed"):
        portal.call(double, 1)


def test_a_call_that_meets_the_close_ends() -> None:
    for _ in range(20):
        portal = Portal()
        threads = [threading.Thread(target=_until_closed, args=[portal]) for _ in range(4)]
        for thread in threads:
            thread.start()
        portal.close()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()


def _until_closed(portal: Portal) -> None:
    with contextlib.suppress(PoolError):
        while True:
            portal.call(double, 1)


def test_a_call_that_never_ends_is_ended_by_the_close() -> None:
    portal = Portal()
    entered = threading.Event()

    async def forever() -> None:
        entered.set()
        await asyncio.Event().wait()

    def wait() -> None:
        with pytest.raises(PoolError, match="closed"):
            portal.call(forever)

    thread = threading.Thread(target=wait)
    thread.start()
    entered.wait()
    portal.close()
    thread.join(30)
    assert not thread.is_alive()


def test_another_process_is_told_to_make_its_own() -> None:
    with pytest.raises(ConfigError, match="inherited it by a fork") as caught:
        check_fork(1)
    assert caught.value.code == "after_fork"
