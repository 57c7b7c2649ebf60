import os
import subprocess
import sys

from ipfs_accelerate.browsers.lifeline import Lifeline

FORK = """
import os, sys
from ipfs_accelerate.browsers.lifeline import Lifeline
lifeline = Lifeline()
browser_end = os.dup(lifeline.browser_ends[0])
lifeline.close_browser_ends()
if os.fork() == 0:
    os.close(browser_end)
    sys.stdin.read()  # lives on, and must not hold the pipe
    os._exit(0)
lifeline.cut()
assert os.read(browser_end, 1) == b""
print("ended")
"""


def test_cutting_it_ends_what_the_browser_reads():
    lifeline = Lifeline()
    read_fd, write_fd = (os.dup(fd) for fd in lifeline.browser_ends)
    assert min(lifeline.browser_ends) >= 10
    lifeline.close_browser_ends()
    os.write(write_fd, b"unheard")
    lifeline.cut()
    lifeline.cut()
    assert os.read(read_fd, 1) == b""
    os.close(read_fd)
    os.close(write_fd)


def test_what_this_process_starts_inherits_none_of_it():
    lifeline = Lifeline()
    assert not any(os.get_inheritable(fd) for fd in lifeline.browser_ends)
    lifeline.cut()


def test_a_forked_child_does_not_hold_it():
    with subprocess.Popen(
        [sys.executable, "-c", FORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout
        assert child.stdout.readline() == b"ended\n"
