"""One cache folder for the whole run, so that a real model is built once."""

import signal
import sys
from pathlib import Path

import pytest

from ipfs_accelerate import Accelerator

# The tests' own modules are imported by their path from the root, as mypy finds them.
sys.path.insert(0, str(Path(__file__).parents[1]))

# A shell that starts the tests in the background has them ignore Ctrl-C, and what they start too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory):
    """A cache folder that every test may use, since any number of programs may."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def accelerator(shared_cache):
    """An accelerator with a browser, for tests that leave both as they found them."""
    with Accelerator(cache_dir=shared_cache, websocket_port=0, threads=2) as made:
        yield made


@pytest.fixture
def make(shared_cache):
    """Makes accelerators for this test alone, and closes them after it."""
    made = []

    def of(**options):
        made.append(Accelerator(**{"cache_dir": shared_cache, "websocket_port": 0, **options}))
        return made[-1]

    yield of
    for one in made:
        one.close()
