"""What a long run may not do: hang, or grow."""

import contextlib
import gc
import signal

import psutil
import pytest


def resident_mb():
    """What this process has in memory, without what only waits to be collected."""
    gc.collect()
    return psutil.Process().memory_info().rss / 1e6


def grown_mb(run):
    """By how much a second run like the first one grew this process: `run` takes a number."""
    run(1)
    before = resident_mb()
    run(2)
    return resident_mb() - before


@contextlib.contextmanager
def nothing_hangs(seconds):
    """Makes a hang of one step a failure: what is yielded is called when the next one begins."""

    def hang(_number, _frame):
        pytest.fail(f"it hangs: {seconds} s have passed in one step")

    before = signal.signal(signal.SIGALRM, hang)
    try:
        yield lambda: signal.alarm(seconds)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
