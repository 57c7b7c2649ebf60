import asyncio
from pathlib import Path
from types import SimpleNamespace

from tests.unit.doctor import made

from ipfs_accelerate.doctor.climb import climb, seen
from ipfs_accelerate.errors import BrowserError

FOUND = SimpleNamespace(name="chromium", path=Path("/c"), version="156.0")


def way(name):
    return SimpleNamespace(name=name, flags=(f"--{name}",), headless=True, about=f"by {name}")


def climbed(measure, *names, **more):
    told = []
    ways = [way(name) for name in names]
    browser = asyncio.run(
        climb(FOUND, ways, measure, lambda found, way: told.append((found.name, way.name)), **more)
    )
    assert told == [("chromium", name) for name in names]
    return browser


def test_each_way_is_tried_and_one_that_fails_stops_none():
    async def measure(found, way):
        assert found is FOUND
        if way.name == "vulkan":
            raise BrowserError("It ended.", hint="Look at its log.")
        return [made.GPU]

    browser = climbed(measure, "plain", "vulkan", "window")
    assert (browser.name, browser.version, browser.path) == ("chromium", "156.0", "/c")
    assert [one.rung for one in browser.launches] == ["plain", "vulkan", "window"]
    assert [one.abilities for one in browser.launches] == [(made.GPU,), (), (made.GPU,)]
    assert browser.launches[1].error == "It ended. Look at its log."
    assert browser.launches[1].flags == ("--vulkan",)


def test_a_launch_that_hangs_is_ended_and_told():
    ended = []

    async def measure(_found, way):
        try:
            await asyncio.sleep(3600 if way.name == "vulkan" else 0)
        finally:
            ended.append(way.name)
        return [made.WASM]

    browser = climbed(measure, "vulkan", "plain", limit_s=0.05)
    assert ended == ["vulkan", "plain"]
    assert browser.launches[0].error == "It did not answer in 0.05 s, and was ended."
    assert browser.works


def test_a_browser_that_is_only_seen_has_no_launches():
    assert seen(FOUND).launches == ()
