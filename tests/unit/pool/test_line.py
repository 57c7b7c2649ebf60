"""The time of a request begins when it is the first of its worker's line."""

import asyncio

import pytest

from ipfs_accelerate.pool.line import Line


async def stay(line: Line, timeout_s: float, until: asyncio.Event) -> str:
    """Stays until it is let go, or its time is over; whoever gives up leaves the line at once."""
    try:
        async with line.place(timeout_s) as place:
            await until.wait()
    except TimeoutError:
        line.leave(place)
        return "timeout"
    except asyncio.CancelledError:
        line.leave(place)
        line.leave(place)
        raise
    return "served"


def test_who_stays_too_long_is_ended_and_the_next_has_its_whole_time() -> None:
    async def scenario() -> None:
        line, never, soon = Line(), asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(stay(line, 0.01, never))
        second = asyncio.create_task(stay(line, 600, soon))
        assert await first == "timeout"
        assert not second.done()
        soon.set()
        assert await second == "served"

    asyncio.run(scenario())


def test_who_waits_is_not_timed() -> None:
    async def scenario() -> None:
        line, never, soon = Line(), asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(stay(line, 600, soon))
        await asyncio.sleep(0)
        second = asyncio.create_task(stay(line, 0.001, never))
        await asyncio.sleep(0.05)
        assert not second.done()
        soon.set()
        assert await first == "served"
        assert await second == "timeout"

    asyncio.run(scenario())


def test_a_place_given_up_is_kept_until_the_engine_is_free() -> None:
    async def scenario() -> None:
        line, never = Line(), asyncio.Event()
        with pytest.raises(TimeoutError):
            async with line.place(0.001) as place:
                await never.wait()
        second = asyncio.create_task(stay(line, 0.001, never))
        await asyncio.sleep(0.05)
        assert not second.done()
        line.leave(place)
        assert await second == "timeout"

    asyncio.run(scenario())


def test_who_gave_up_while_it_waited_is_never_timed() -> None:
    async def scenario() -> None:
        line, soon, never = Line(), asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(stay(line, 600, soon))
        await asyncio.sleep(0)

        async def give_up() -> None:
            async with line.place(0.001):
                await never.wait()

        second = asyncio.create_task(give_up())
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.wait([second])
        soon.set()
        assert await first == "served"

    asyncio.run(scenario())


def test_an_error_leaves_the_line() -> None:
    async def scenario() -> None:
        line, never = Line(), asyncio.Event()
        with pytest.raises(ValueError, match="no"):
            async with line.place(600):
                raise ValueError("no")
        assert await stay(line, 0.001, never) == "timeout"

    asyncio.run(scenario())


def test_who_gives_up_makes_room() -> None:
    async def scenario() -> None:
        line, never = Line(), asyncio.Event()
        first = asyncio.create_task(stay(line, 600, never))
        second = asyncio.create_task(stay(line, 0.001, never))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert await second == "timeout"

    asyncio.run(scenario())
