import os
import subprocess
import sys

import pytest

from ipfs_accelerate.browsers.identity import Identity, command_of, identity_of

# /proc is Linux's; the other way, ps, is anyone's.
PLATFORMS = ["linux", "darwin"] if sys.platform.startswith("linux") else ["darwin"]


@pytest.fixture(params=PLATFORMS, autouse=True)
def _each_way(request, monkeypatch):
    if request.param == "darwin" and not os.access("/bin/ps", os.X_OK):
        pytest.skip("ps is not installed here")
    monkeypatch.setattr("sys.platform", request.param)


def sleeper(*args):
    """A process that has begun, so that its command line can be read."""
    child = subprocess.Popen(
        [sys.executable, "-c", "print('ready', flush=True); input()", *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout
    child.stdout.readline()
    return child


def test_a_running_process_is_itself():
    me = identity_of(os.getpid())
    assert me
    assert me.lives()
    assert me == identity_of(os.getpid())


def test_another_with_its_number_is_not():
    assert not Identity(os.getpid(), "started at another time").lives()


def test_one_that_has_ended_is_gone_before_and_after_it_is_reaped():
    child = sleeper()
    identity = identity_of(child.pid)
    assert identity
    assert identity.lives()
    child.communicate(b"\n")
    assert not identity.lives()
    assert identity_of(child.pid) is None
    assert command_of(child.pid) == ""


def test_the_command_line_is_whole():
    child = sleeper("--user-data-dir=/some where", "x" * 300)
    try:
        assert "--user-data-dir=/some where" in command_of(child.pid)
        assert command_of(child.pid).rstrip().endswith("x" * 300)
    finally:
        child.communicate(b"\n")
