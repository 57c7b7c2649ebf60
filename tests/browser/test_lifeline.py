"""However the Python that started a browser ends, the browser ends with it."""

import os
import signal
import subprocess
import sys
import time

import pytest

# Nothing here closes the browser: whatever ends it is the lifeline.
STARTER = """
import asyncio, os, subprocess, sys, threading
from pathlib import Path
from ipfs_accelerate.browsers import find_browser, launch

async def start():
    browser = await launch(find_browser(), sys.argv[1], profiles=Path(sys.argv[2]))
    print(browser.pid, browser.profile.parent.name, flush=True)
    return browser

async def main(how):
    browser = await start()
    if how != "wait":
        sys.stdin.readline()
    if how == "exception":
        raise RuntimeError("the user's own")
    if how == "exit":
        return
    if how == "fork":
        child = os.fork()
        if child == 0:
            os.close(0), os.close(1)
            threading.Event().wait()
        print(child, flush=True)
    if how == "leak":
        held = [fd.fd for fd in browser._lifeline._ours]
        print(subprocess.Popen(["sleep", "600"], pass_fds=held, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL).pid, flush=True)
    await asyncio.Event().wait()

def in_thread():
    thread = threading.Thread(target=lambda: asyncio.run(start()))
    thread.start()
    thread.join()
    sys.stdin.readline()
    print("thread ended", flush=True)
    sys.stdin.readline()

in_thread() if sys.argv[3] == "thread" else asyncio.run(main(sys.argv[3]))
"""

GONE_WITHIN_S = 5


class Starter:
    """A Python that has started a browser, whose page has come."""

    def __init__(self, server, cache, how):
        server.dialled.clear()
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", STARTER, server.url, str(cache), how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            process_group=0,
        )
        pid, self.slot = self.line().split()
        self.browser_pid = int(pid)
        assert server.dialled.wait(60)

    def line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def go_on(self):
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()


@pytest.fixture
def start(server, tmp_path):
    started = []

    def begin(how="wait"):
        started.append(Starter(server, tmp_path, how))
        return started[-1]

    yield begin
    for starter in started:
        starter.process.kill()
        starter.process.communicate()


@pytest.fixture
def gone(watch, tmp_path):
    """Waits until no process uses the cache."""
    return lambda: watch.seconds_until(lambda: not watch.users_of(tmp_path), GONE_WITHIN_S)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_both(start, gone, number):
    starter = start()
    starter.process.send_signal(number)
    gone()


def test_ctrl_c_in_a_terminal_reaches_python_alone(start, gone, watch, tmp_path, server):
    starter = start("thread")
    starter.go_on()
    starter.line()
    assert starter.browser_pid in watch.users_of(tmp_path)
    # A terminal signals the whole group in front; only what is in it.
    starter.process.send_signal(signal.SIGSTOP)
    os.killpg(starter.process.pid, signal.SIGINT)
    beats = server.beats()
    watch.seconds_until(lambda: server.beats() > beats + 5, 20)
    starter.process.send_signal(signal.SIGCONT)
    gone()


@pytest.mark.parametrize("how", ["exception", "exit"])
def test_an_end_of_the_program_ends_it(start, gone, how):
    starter = start(how)
    starter.go_on()
    starter.process.wait()
    gone()


def test_the_end_of_the_thread_that_started_it_does_not(start, gone, watch, server):
    starter = start("thread")
    starter.go_on()
    assert starter.line() == "thread ended"
    beats = server.beats()
    watch.seconds_until(lambda: server.beats() > beats + 5, 20)
    starter.go_on()
    starter.process.wait()
    gone()


def test_a_forked_child_that_lives_on_does_not_keep_it(start, gone):
    starter = start("fork")
    starter.go_on()
    child = int(starter.line())
    starter.process.kill()
    try:
        gone()
    finally:
        os.kill(child, signal.SIGKILL)


def test_two_pythons_have_a_slot_each_and_end_apart(start, gone, watch, tmp_path):
    first, second = start(), start()
    assert [first.slot, second.slot] == ["slot-0", "slot-1"]
    first.process.kill()
    first.process.wait()
    watch.seconds_until(lambda: first.browser_pid not in watch.users_of(tmp_path), GONE_WITHIN_S)
    assert second.browser_pid in watch.users_of(tmp_path)
    third = start()
    assert third.slot == "slot-0"
    for starter in (second, third):
        starter.process.kill()
    gone()


def test_the_next_start_ends_a_browser_that_was_left_alive(start, gone, watch, tmp_path):
    first = start("leak")
    first.go_on()
    keeper = int(first.line())  # holds the lifeline, as no program should
    try:
        first.process.kill()
        first.process.wait()
        time.sleep(0.5)
        assert first.browser_pid in watch.users_of(tmp_path)
        second = start()
        assert second.slot == first.slot
        assert first.browser_pid not in watch.users_of(tmp_path)
        second.process.kill()
        gone()
    finally:
        os.kill(keeper, signal.SIGKILL)
