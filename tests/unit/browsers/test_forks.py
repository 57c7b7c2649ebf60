import os
import subprocess
import sys

from ipfs_accelerate.browsers.forks import Held

FORK = """
import os
from ipfs_accelerate.browsers.forks import Held
read_fd, write_fd = os.pipe()
held = Held(write_fd)
child = os.fork()
if child == 0:
    held.let_go()  # closed already, and maybe another's by now
    assert not held.open
    try:
        os.fstat(write_fd)
    except OSError:
        os._exit(0)
    os._exit(1)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0
assert held.open
os.write(write_fd, b"still open here")
"""


def test_what_is_held_is_closed_once():
    read_fd, write_fd = os.pipe()
    held = Held(write_fd)
    assert held.open
    held.let_go()
    again = Held(os.dup(read_fd))  # which takes the number that is free now
    assert again.fd == write_fd
    held.let_go()
    assert not held.open
    assert again.open
    again.let_go()
    assert os.read(read_fd, 1) == b""
    os.close(read_fd)


def test_a_forked_child_has_none_of_it():
    subprocess.run([sys.executable, "-c", FORK], check=True)
