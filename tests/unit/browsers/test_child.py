import os
import signal
import subprocess
import sys
import threading

import pytest

from ipfs_accelerate.browsers.child import UNKNOWN_RETURNCODE, Child

FORK = """
import os, signal, subprocess, sys, threading
from ipfs_accelerate.browsers.child import Child
process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE,
                           process_group=0)
ended = threading.Event()
child = Child(process.pid, ended.set)
if os.fork() == 0:
    assert not child.ours
    child.signal_group(signal.SIGKILL)
    os._exit(0)
os.wait3(0)
assert child.returncode is None
process.stdin.close()
ended.wait()
assert child.returncode == 1, child.returncode  # input() met its end
process.returncode = child.returncode
"""


@pytest.fixture
def start():
    """Starts a child with a group of its own, and gives it with the event of its end."""

    def begin(code, *args):
        ended = threading.Event()
        pid = os.posix_spawn(
            sys.executable, [sys.executable, "-c", code, *args], os.environ, setpgroup=0
        )
        return Child(pid, ended.set), ended

    return begin


def test_its_exit_code_is_told(start):
    child, ended = start("import sys; sys.exit(7)")
    ended.wait()
    assert child.returncode == 7


def test_its_signal_is_told(start):
    child, ended = start("import time; time.sleep(600)")
    assert child.returncode is None
    child.signal_group(signal.SIGKILL)
    ended.wait()
    assert child.returncode == -signal.SIGKILL
    child.signal_group(signal.SIGKILL)  # its number may be another's: nothing is sent


def test_the_rest_of_its_group_ends_with_it(start):
    read_fd, write_fd = os.pipe()
    os.set_inheritable(write_fd, True)  # noqa: FBT003 - the signature of os
    leave_one = "import subprocess, sys; subprocess.Popen(['sleep', '600'], close_fds=False)"
    child, ended = start(leave_one)
    os.close(write_fd)
    ended.wait()
    assert child.returncode == 0
    assert os.read(read_fd, 1) == b""  # the sleeper held it open
    os.close(read_fd)


def test_one_that_another_part_has_reaped_has_ended_all_the_same():
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", ""], os.environ, setpgroup=0)
    os.waitpid(pid, 0)
    ended = threading.Event()
    child = Child(pid, ended.set)
    ended.wait()
    assert child.returncode == UNKNOWN_RETURNCODE


def test_a_forked_child_of_ours_leaves_it_alone():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], check=True)
