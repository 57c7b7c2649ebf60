"""However a program ends, no process and no temporary file of it is left, and the next one works.

Its processes are known by the cache folder, which each of these tests has for itself.
"""

import random
import signal
import time
from pathlib import Path

import pytest
from tests.browser import graphs, processes
from tests.browser.scripts import Place, said

RANDOM = random.Random(11)  # noqa: S311 - moments, not secrets

USES = """
    import sys, numpy as np
    from ipfs_accelerate import Accelerator
    with Accelerator(websocket_port=0) as made:
        print("starting")
        made.load("slow.onnx")
        print("loaded")
        times, x = np.array(1_000_000), np.ones((256, 256), np.float32)
        {then}
"""
RUNS = USES.format(then='made.run("slow.onnx", {"times": times, "x": x})')
RAISES = USES.format(then='raise KeyError("the caller\'s own")')
EXITS = USES.format(then="sys.exit(7)")
WORKS = USES.format(
    then='print(made.run("slow.onnx", {"times": np.array(2), "x": x}).output[0, 0])'
)
AT_MODULE_LEVEL = """
    import numpy as np
    from ipfs_accelerate import Accelerator
    made = Accelerator(websocket_port=0)
    print(made.run("slow.onnx", {"times": np.array(2), "x": np.ones((256, 256), np.float32)}))
"""


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    graphs.save(graphs.slow(), place.work / "slow.onnx")
    return place


def assert_clear(place):
    assert place.is_clear(), (processes.of_folder(place.cache), place.litter())


def assert_next_works(place):
    done = place.run(WORKS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["starting", "loaded", "1.0"]
    assert_clear(place)


def end_by(place, number, after, delay_s=0.0):
    """Signal a program that is in a run, or is starting; gives its exit code and its stderr."""
    with place.program(RUNS) as program:
        assert said(program, after)
        time.sleep(delay_s)
        program.send_signal(number)
        _, stderr = program.communicate(timeout=30)
    return program.returncode, stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize(("after", "delay_s"), [("loaded", 0.3), ("starting", 0.5)])
def test_a_signal_leaves_nothing(place, number, after, delay_s):
    code, stderr = end_by(place, number, after, delay_s)
    assert code == -number
    assert_clear(place)
    if number == signal.SIGINT:
        assert stderr.rstrip().endswith("KeyboardInterrupt")
        assert "Exception ignored" not in stderr
    assert_next_works(place)


@pytest.mark.parametrize(("code", "status"), [(RAISES, 1), (EXITS, 7), (AT_MODULE_LEVEL, 0)])
def test_a_program_that_ends_by_itself_leaves_nothing(place, code, status):
    done = place.run(code)
    assert done.returncode == status, done.stderr
    assert_clear(place)
    if code is RAISES:
        assert done.stderr.rstrip().endswith('KeyError: "the caller\'s own"')
    else:
        assert done.stderr == ""


def kills(place, count):
    for _ in range(count):
        end_by(place, signal.SIGKILL, "starting", RANDOM.uniform(0, 3))
        assert_clear(place)
    assert_next_works(place)


def test_kills_at_any_moment(place):
    kills(place, 3)


@pytest.mark.soak
def test_many_kills_at_any_moment(place):
    kills(place, 20)


@pytest.mark.soak
def test_many_interrupts_at_any_moment(place):
    for _ in range(20):
        code, stderr = end_by(place, signal.SIGINT, "starting", RANDOM.uniform(0, 3))
        assert code == -signal.SIGINT, stderr
        assert_clear(place)
    assert_next_works(place)


def test_no_browser_folder_appears_beside_ours(place):
    def litter():
        shared = Path("/tmp")  # noqa: S108 - only looked at
        return {one.name for one in shared.iterdir() if "chrom" in one.name.lower()}

    before = litter()
    assert_next_works(place)
    assert litter() <= before


def test_what_is_left_in_the_cache_holds_no_secret(place):
    """A killed program can't delete its start file: it is this user's alone, and the next does."""
    end_by(place, signal.SIGKILL, "starting", 0.3)
    for file in place.cache.rglob("start.html"):
        assert file.stat().st_mode & 0o077 == 0
    assert_next_works(place)
    assert not list(place.cache.rglob("start.html"))
