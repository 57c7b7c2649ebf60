import os
import subprocess
import sys

import pytest

from ipfs_accelerate.browsers.memory import pss_mb, tree

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells it")


def test_memory_is_that_of_the_whole_tree():
    code = "import sys; block = b'x' * 50_000_000; print('ready', flush=True); input()"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    child = subprocess.Popen(
        [sys.executable, "-c", outer], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout
    assert child.stdout.readline() == b"ready\n"
    family = tree(child.pid)
    assert family[0] == child.pid
    assert len(family) == 2
    whole = pss_mb(child.pid)
    inner = pss_mb(family[1])
    assert whole
    assert inner
    assert whole > inner > 45
    child.communicate(b"\n")


def test_a_process_that_is_gone_has_none():
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert pss_mb(child.pid) is None
    assert tree(child.pid) == [child.pid]


def test_a_process_that_ended_but_is_not_reaped_counts_nothing():
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not pss_mb(child.pid)
    child.wait()
