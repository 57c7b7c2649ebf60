"""A real browser is started, its page dials back, and nothing is left of it."""

import asyncio
import os
import signal

import pytest

from ipfs_accelerate.browsers import launch, pss_mb
from ipfs_accelerate.errors import BrowserError, ConfigError

START_S = 60


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


async def opened(installed, server, cache):
    server.dialled.clear()
    browser = await launch(installed, server.url, profiles=cache)
    try:
        assert await browser.wait_for_page(asyncio.to_thread(server.dialled.wait, START_S), START_S)
    except BaseException:
        await browser.close()
        raise
    return browser


def test_the_page_comes_with_its_secret_which_no_command_line_has(installed, server, cache, watch):
    async def scenario():
        browser = await opened(installed, server, cache)
        assert [path for path in server.paths if path.startswith("/dialled?token=s3cr3t")]
        lines = watch.users_of(cache)
        assert browser.pid in lines
        assert not [line for line in lines.values() if "s3cr3t" in line]
        assert not (browser.profile.parent / "start.html").exists()
        await browser.close()
        assert browser.returncode == 0
        watch.seconds_until(lambda: not watch.users_of(cache), within_s=5)

    asyncio.run(scenario())


def test_its_litter_stays_in_its_slot_and_goes_with_it(installed, server, tmp_path):
    # Longer than the path of a socket may be.
    cache = tmp_path / ("long" * 20)

    async def scenario():
        browser = await opened(installed, server, cache)
        slot = browser.profile.parent
        assert list((slot / "tmp").glob("*/SingletonSocket"))
        await browser.close()
        assert {each.name for each in slot.iterdir()} <= {
            "browser.log", "cache", "config", "lock", "profile",
        }  # fmt: skip
        assert not list(browser.profile.glob("Singleton*"))

    asyncio.run(scenario())


def test_the_next_browser_finds_the_profile_as_it_was_left(installed, server, cache):
    async def scenario():
        for _ in range(2):
            browser = await opened(installed, server, cache)
            await browser.close()

    asyncio.run(scenario())
    dialled = [path for path in server.paths if path.startswith("/dialled")]
    assert [path.rpartition("visits=")[2] for path in dialled] == ["1", "2"]


def test_two_at_once_have_a_profile_each(installed, server, cache):
    async def scenario():
        first = await opened(installed, server, cache)
        second = await opened(installed, server, cache)
        assert first.profile.parent.name == "slot-0"
        assert second.profile.parent.name == "slot-1"
        await first.close()
        assert second.returncode is None  # it does not hang on the other's lifeline
        await second.close()

    asyncio.run(scenario())


def test_one_that_is_killed_is_noticed(installed, server, cache, watch):
    async def scenario():
        browser = await opened(installed, server, cache)
        os.kill(browser.pid, signal.SIGKILL)
        await browser.ended.wait()
        assert browser.returncode == -signal.SIGKILL
        await browser.close()

    asyncio.run(scenario())
    watch.seconds_until(lambda: not watch.users_of(cache), 5)


def test_one_that_answers_nothing_is_ended_all_the_same(installed, server, cache, watch):
    async def scenario():
        browser = await opened(installed, server, cache)
        os.killpg(browser.pid, signal.SIGSTOP)
        await browser.close()
        assert browser.returncode == -signal.SIGKILL

    asyncio.run(scenario())
    watch.seconds_until(lambda: not watch.users_of(cache), 5)


def test_kill_now_ends_the_whole_tree(installed, server, cache, watch):
    async def scenario():
        browser = await opened(installed, server, cache)
        browser.kill_now()
        await browser.ended.wait()
        await browser.close()

    asyncio.run(scenario())
    watch.seconds_until(lambda: not watch.users_of(cache), 5)


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="only there a display may be missing")
def test_a_window_without_a_display_is_an_error_that_says_so(
    installed, server, cache, monkeypatch, watch
):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
        monkeypatch.delenv(name, raising=False)

    async def scenario():
        browser = await launch(installed, server.url, profiles=cache, headless=False)
        try:
            await browser.wait_for_page(asyncio.get_running_loop().create_future(), START_S)
        finally:
            await browser.close()

    with pytest.raises(BrowserError, match="headless=True") as caught:
        asyncio.run(scenario())
    assert caught.value.code == "browser_failed"
    watch.seconds_until(lambda: not watch.users_of(cache), within_s=5)


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="only Linux tells it")
def test_its_memory_is_counted(installed, server, cache):
    async def scenario():
        browser = await opened(installed, server, cache)
        memory_mb = pss_mb(browser.pid)
        await browser.close()
        return memory_mb

    assert 50 < asyncio.run(scenario()) < 2000


def test_a_cache_that_is_a_file_is_an_error_that_names_it(installed, server, tmp_path):
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(ConfigError, match="Not a folder"):
        asyncio.run(launch(installed, server.url, profiles=tmp_path / "cache"))
