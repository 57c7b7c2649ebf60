"""The shell over real processes: scripts that stand where a browser would."""

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from ipfs_accelerate.browsers import process, profiles
from ipfs_accelerate.browsers.installed import Installed
from ipfs_accelerate.browsers.process import launch
from ipfs_accelerate.errors import BrowserError, ConfigError

URL = "http://127.0.0.1:1/#token=secret"

ORDERLY = "import os; print('is up', flush=True); os.read(3, 1); print('down')"
DEAF = "import os, time; print('is up', flush=True); time.sleep(600)"
STUBBORN = (
    "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    " print('is up', flush=True); time.sleep(600)"
)


@pytest.fixture
def program(tmp_path):
    """Writes a script that stands where a browser would."""

    def write(code: str) -> Installed:
        path = tmp_path / "chromium"
        path.write_text(f"#!{sys.executable}\n{code}\n")
        path.chmod(0o755)
        return Installed("chromium", "chromium", path)

    return write


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


async def until_up(browser):
    await until(lambda: "is up" in browser.log_tail())


def free(cache: Path) -> bool:
    slot = profiles.acquire(cache, "chromium")
    slot.release()
    return slot.path.name == "slot-0"


def run(coroutine):
    async def bounded():
        async with asyncio.timeout(30):
            return await coroutine

    return asyncio.run(bounded())


async def until(condition):
    while not condition():  # noqa: ASYNC110 - files and processes set no events
        await asyncio.sleep(0.01)


def test_a_browser_is_started_watched_and_closed(program, cache):
    async def scenario():
        browser = await launch(program(ORDERLY), URL, profiles=cache)
        await until_up(browser)
        assert browser.returncode is None
        assert "running" in repr(browser)
        assert browser.profile == cache / "chromium" / "slot-0" / "profile"
        assert os.getpgid(browser.pid) == browser.pid
        start = browser.profile.parent / "start.html"
        assert start.stat().st_mode & 0o777 == 0o600
        assert "token=secret" in start.read_text()
        browser.forget_start_file()
        browser.forget_start_file()
        assert not start.exists()
        await asyncio.gather(browser.close(), browser.close())
        await browser.close()
        assert browser.returncode == 0
        assert browser.ended.is_set()
        assert browser.log_tail(1) == "down"
        assert "exit code 0" in repr(browser)

    run(scenario())
    assert free(cache)


def test_no_secret_is_on_its_command_line(program, cache):
    async def scenario():
        code = "import sys; print(sys.argv, flush=True);" + ORDERLY
        browser = await launch(program(code), URL, profiles=cache)
        await until_up(browser)
        assert "start.html" in browser.log_tail()
        assert "token=" not in browser.log_tail()
        await browser.close()

    run(scenario())


@pytest.mark.parametrize(
    ("code", "end"), [(DEAF, signal.SIGTERM), (STUBBORN, signal.SIGKILL)], ids=["deaf", "stubborn"]
)
def test_one_that_does_not_heed_its_lifeline_is_ended(program, cache, monkeypatch, code, end):
    monkeypatch.setattr(process, "_LIFELINE_GRACE_S", 0.05)
    monkeypatch.setattr(process, "_TERM_GRACE_S", 0.3)

    async def scenario():
        browser = await launch(program(code), URL, profiles=cache)
        await until_up(browser)
        await browser.close()
        assert browser.returncode == -end

    run(scenario())
    assert free(cache)


def test_one_that_even_a_kill_does_not_end_keeps_its_profile(program, cache, monkeypatch):
    for name in ("_LIFELINE_GRACE_S", "_TERM_GRACE_S", "_KILL_GRACE_S"):
        monkeypatch.setattr(process, name, 0.01)

    async def scenario():
        browser = await launch(program(DEAF), URL, profiles=cache)
        with monkeypatch.context() as patched:
            patched.setattr(browser._child, "signal_group", lambda _: None)
            await browser.close()
        assert browser.returncode is None
        assert not free(cache)
        browser.kill_now()
        await browser.ended.wait()
        browser._slot.release()

    run(scenario())


def test_a_close_that_is_cancelled_goes_on(program, cache, monkeypatch):
    monkeypatch.setattr(process, "_LIFELINE_GRACE_S", 0.05)

    async def scenario():
        browser = await launch(program(DEAF), URL, profiles=cache)
        closing = asyncio.ensure_future(browser.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait([closing])
        assert closing.cancelled()
        await browser.close()
        assert browser.returncode is not None

    run(scenario())
    assert free(cache)


def test_kill_now_ends_it_even_when_no_loop_runs(program, cache):
    async def scenario():
        return await launch(program(STUBBORN), URL, profiles=cache)

    browser = run(scenario())
    browser.kill_now()
    browser.kill_now()
    for thread in threading.enumerate():
        if thread.name == f"browser {browser.pid}":
            thread.join()
    assert browser.returncode == -signal.SIGKILL
    browser._slot.release()


def test_one_that_ends_at_once_says_why(program, cache):
    installed = program("import sys; print('no such luck', flush=True); sys.exit(7)")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(process, "_AT_ONCE_S", 10)
        before = len(list(Path("/dev/fd").iterdir()))
        with pytest.raises(BrowserError) as caught:
            run(launch(installed, URL, profiles=cache))
    assert len(list(Path("/dev/fd").iterdir())) == before
    assert caught.value.code == "browser_failed"
    assert caught.value.details["returncode"] == 7
    assert "exit code 7" in str(caught.value)
    assert "    no such luck" in str(caught.value)
    assert free(cache)


def test_a_program_that_the_system_refuses_says_why(cache, tmp_path):
    nonsense = tmp_path / "nonsense"
    nonsense.write_text("neither a binary nor a script")
    nonsense.chmod(0o755)
    before = len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(BrowserError, match="Exec format error"):
        run(launch(Installed("chromium", "chromium", nonsense), URL, profiles=cache))
    assert len(list(Path("/dev/fd").iterdir())) == before
    assert free(cache)


def test_a_disk_that_refuses_the_start_file_says_so(program, cache):
    (cache / "chromium" / "slot-0" / "browser.log").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"browser\.log"):
        run(launch(program(ORDERLY), URL, profiles=cache))
    (cache / "chromium" / "slot-0" / "browser.log").rmdir()
    assert free(cache)


def test_a_launch_that_is_cancelled_leaves_no_browser(program, cache, monkeypatch):
    monkeypatch.setattr(process, "_AT_ONCE_S", 600)
    pid_file = cache / "chromium" / "slot-0" / "process.json"

    async def scenario():
        launching = asyncio.ensure_future(launch(program(ORDERLY), URL, profiles=cache))
        await until(pid_file.exists)
        launching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await launching

    run(scenario())
    assert not pid_file.exists()
    assert free(cache)


def test_a_launch_that_is_cancelled_while_it_waits_for_a_slot_gives_it_back(
    program, cache, monkeypatch
):
    entered, leave = threading.Event(), threading.Event()

    def slow(*args):
        entered.set()
        leave.wait()
        return real(*args)

    real = profiles.acquire
    monkeypatch.setattr(profiles, "acquire", slow)

    async def scenario():
        launching = asyncio.ensure_future(launch(program(ORDERLY), URL, profiles=cache))
        await asyncio.to_thread(entered.wait)
        launching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await launching
        leave.set()
        await until(lambda: len(asyncio.all_tasks()) == 1)

    run(scenario())
    monkeypatch.undo()
    assert free(cache)


def test_the_page_that_comes_is_what_is_waited_for(program, cache):
    async def scenario():
        browser = await launch(program(ORDERLY), URL, profiles=cache)
        page = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.01, page.set_result, "hello")
        assert await browser.wait_for_page(page, 20) == "hello"
        assert not (browser.profile.parent / "start.html").exists()
        await browser.close()

    run(scenario())


def test_a_page_that_does_not_come_is_a_timeout(program, cache):
    async def scenario():
        browser = await launch(program(ORDERLY), URL, profiles=cache)
        page = asyncio.get_running_loop().create_future()
        with pytest.raises(BrowserError) as caught:
            await browser.wait_for_page(page, 0.05)
        assert caught.value.code == "browser_timeout"
        assert page.cancelled()
        await browser.close()

    run(scenario())


def test_a_browser_that_ends_before_its_page_came_says_why(program, cache):
    async def scenario():
        browser = await launch(program(ORDERLY), URL, profiles=cache)
        await until_up(browser)
        os.kill(browser.pid, signal.SIGKILL)
        with pytest.raises(BrowserError, match="by signal SIGKILL") as caught:
            await browser.wait_for_page(asyncio.get_running_loop().create_future(), 20)
        assert caught.value.code == "browser_failed"
        await browser.close()

    run(scenario())
    assert free(cache)
