"""The keeper as a real process, over scripts that stand where a browser would."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from ipfs_accelerate.browsers import keeper
from ipfs_accelerate.browsers.child import Child
from ipfs_accelerate.browsers.identity import identity_of
from ipfs_accelerate.browsers.lifeline import Lifeline
from ipfs_accelerate.browsers.spawn import open_log, spawn

UP = "import os, signal, subprocess, sys, time; print(f'up {os.getpid()}', flush=True); "
WAITS = UP + "time.sleep(600)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + WAITS
WITH_A_CHILD = (
    "import subprocess; subprocess.Popen(['/bin/sh', '-c', 'trap \"\" TERM; sleep 600']); " + WAITS
)
TELLS = UP + "print(sorted(int(fd) for fd in os.listdir('/dev/fd') if int(fd) < 6), flush=True)"

# Starts one as a program of ours does, tells its number, and then waits to be killed.
PYTHON = """
import os, sys
from pathlib import Path
from ipfs_accelerate.browsers import keeper
from ipfs_accelerate.browsers.lifeline import Lifeline
from ipfs_accelerate.browsers.spawn import open_log, spawn
lifeline = Lifeline()
command = keeper.kept([sys.executable, "-c", sys.argv[2]])
print(spawn(command, os.environ, lifeline.browser_ends, open_log(Path(sys.argv[1])).fd), flush=True)
lifeline.close_browser_ends()
sys.stdin.read()
"""


class Kept:
    """A browser with its keeper, started as `launch` does."""

    def __init__(self, log: Path, code: str):
        self.log = log
        self.lifeline = Lifeline()
        command = keeper.kept([sys.executable, "-c", code])
        self.keeper = spawn(command, os.environ, self.lifeline.browser_ends, open_log(log).fd)
        self.lifeline.close_browser_ends()

    def browser(self) -> int:
        return up(self.log)

    def code(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.keeper, 0)[1])


def up(log: Path) -> int:
    until(lambda: log.exists() and "\n" in log.read_text())
    return int(log.read_text().split()[1])


def until(condition, within_s=20.0):
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.01)


def group_is_empty(group: int) -> bool:
    return not any(in_group(process.pid, group) for process in psutil.process_iter())


def in_group(pid: int, group: int) -> bool:
    """Whether it is, and lives: what has ended and waits to be reaped is nobody any more."""
    try:
        return os.getpgid(pid) == group and identity_of(pid) is not None
    except ProcessLookupError:
        return False


@pytest.fixture
def keep(tmp_path):
    started = []

    def start(code):
        started.append(Kept(tmp_path / "log", code))
        return started[-1]

    yield start
    for kept in started:
        kept.lifeline.cut()


def test_the_end_of_the_pipe_ends_both(keep):
    kept = keep(WAITS)
    browser = kept.browser()
    assert os.getpgid(browser) == kept.keeper
    kept.lifeline.cut()
    assert kept.code() == 0
    assert identity_of(browser) is None


def test_one_that_heeds_nothing_is_killed(keep):
    kept = keep(STUBBORN)
    kept.browser()
    kept.lifeline.cut()
    assert kept.code() == -signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_keeper_that_is_told_to_end_ends_the_browser(keep, number):
    kept = keep(WAITS)
    browser = kept.browser()
    os.kill(kept.keeper, number)
    assert kept.code() == 0
    assert identity_of(browser) is None


@pytest.mark.parametrize(
    ("then", "code"),
    [
        ("sys.exit(0)", 0),
        ("sys.exit(7)", 7),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("os.kill(os.getpid(), signal.SIGABRT)", -signal.SIGABRT),
    ],
)
def test_a_browser_that_ends_by_itself_is_told_as_it_was(keep, then, code):
    assert keep(UP + then).code() == code


def test_a_program_that_can_not_be_run_says_why(tmp_path):
    lifeline = Lifeline()
    log = tmp_path / "log"
    command = keeper.kept([str(tmp_path)])  # a folder
    pid = spawn(command, os.environ, lifeline.browser_ends, open_log(log).fd)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == keeper.CANT_RUN
    assert log.read_text() == f"{tmp_path}: Permission denied\n"
    lifeline.cut()


def test_the_browser_has_neither_end_of_the_pipe(keep):
    kept = keep(TELLS)
    assert kept.code() == 0
    assert kept.log.read_text().splitlines()[1] in ("[0, 1, 2, 3]", "[0, 1, 2]")  # 3: its own look


def test_what_it_leaves_in_its_group_ends_too(tmp_path):
    kept = Kept(tmp_path / "log", WITH_A_CHILD)
    kept.browser()
    ended = []
    child = Child(kept.keeper, lambda: ended.append(True))
    kept.lifeline.cut()
    until(lambda: ended)
    assert child.returncode == 0
    until(lambda: group_is_empty(kept.keeper))


@pytest.mark.parametrize("code", [WAITS, STUBBORN, WITH_A_CHILD])
def test_a_python_that_is_killed_leaves_nothing_within_5_s(tmp_path, code):
    group = start_and_kill(tmp_path / "log", code)
    until(lambda: group_is_empty(group), 5)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can do it")
def test_both_killed_at_once_leave_no_browser(tmp_path):
    with python(tmp_path / "log", STUBBORN) as process:
        group = int(process.stdout.readline())
        browser = up(tmp_path / "log")
        process.send_signal(signal.SIGSTOP)
        os.kill(group, signal.SIGKILL)
        process.kill()
    until(lambda: identity_of(browser) is None, 5)


def start_and_kill(log, code):
    with python(log, code) as process:
        group = int(process.stdout.readline())
        up(log)
        process.kill()
    return group


def python(log, code):
    return subprocess.Popen(
        [sys.executable, "-c", PYTHON, str(log), code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
