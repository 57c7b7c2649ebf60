import os
import signal
import subprocess
import sys

import pytest

from ipfs_accelerate.browsers.lifeline import Lifeline
from ipfs_accelerate.browsers.spawn import open_log, spawn

# Prints what it was given, waits for the end of its pipe, and answers on the other.
PROGRAM = """
import os, signal, sys
print(sorted(int(fd) for fd in os.listdir("/dev/fd") if int(fd) < 5), flush=True)
print(os.getpgid(0) == os.getpid(), os.read(0, 1), os.environ["MARK"], flush=True)
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, file=sys.stderr, flush=True)
os.write(4, b"!")
os.read(3, 1)
"""

# Its own pipes are the very numbers that the browser's have to become.
COLLIDING = """
import os, sys
from pathlib import Path
from ipfs_accelerate.browsers.lifeline import Lifeline
from ipfs_accelerate.browsers.spawn import open_log, spawn
for fd in (3, 4, 5, 6):
    try:
        os.close(fd)
    except OSError:
        pass
if sys.argv[2] == "no standard streams":
    os.close(0)
    os.close(1)
lifeline = Lifeline()
pid = spawn([sys.executable, "-c", sys.argv[3]], {"MARK": "m"}, lifeline.browser_ends,
            open_log(Path(sys.argv[1])).fd)
lifeline.close_browser_ends()
ours = [held.fd for held in lifeline._ours]
assert min(ours) <= 4, ours
assert os.read(ours[1], 1) == b"!"
lifeline.cut()
_, status = os.waitpid(pid, 0)
assert status == 0, status
"""

SEEN = "[0, 1, 2, 3, 4]\nTrue b'' m\nTrue\n"


@pytest.fixture
def _ignoring_interrupts():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ignoring_interrupts")
def test_the_program_gets_its_pipes_its_log_and_a_group_of_its_own(tmp_path):
    log = tmp_path / "log"
    log.write_text("of an earlier start" * 100)
    lifeline = Lifeline()
    log_file = open_log(log)
    argv = [sys.executable, "-c", PROGRAM]
    pid = spawn(argv, {"MARK": "m"}, lifeline.browser_ends, log_file.fd)
    log_file.let_go()
    lifeline.close_browser_ends()
    assert os.read(lifeline._ours[1].fd, 1) == b"!"
    lifeline.cut()
    assert os.waitpid(pid, 0) == (pid, 0)
    assert log.read_text() == SEEN


@pytest.mark.parametrize("kind", ["plain", "no standard streams"])
def test_its_pipes_are_right_where_their_numbers_collide(tmp_path, kind):
    log = tmp_path / "log"
    subprocess.run([sys.executable, "-c", COLLIDING, str(log), kind, PROGRAM], check=True)
    assert log.read_text() == SEEN


def test_a_program_that_is_none_is_refused(tmp_path):
    program = tmp_path / "program"
    program.write_text("neither a binary nor a script")
    program.chmod(0o755)
    lifeline = Lifeline()
    log_file = open_log(tmp_path / "log")
    with pytest.raises(OSError, match="Exec format error"):
        spawn([str(program)], {}, lifeline.browser_ends, log_file.fd)
    log_file.let_go()
    lifeline.cut()
