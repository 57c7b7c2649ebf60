"""Each kind of browser that is started otherwise: the right numbers, and nothing left of it."""

import signal
import subprocess
import time

import numpy as np
import pytest
from tests.browser import native, processes
from tests.browser.scripts import Place, said

from ipfs_accelerate import Accelerator, BrowserError
from ipfs_accelerate.browsers import find_browser, portable
from ipfs_accelerate.config import cache_dir
from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.catalog import DEFAULT
from ipfs_accelerate.models.text import TextProcessor

TOLERANCE = 1e-4
TEXTS = ["A man is eating food.", "A man is eating a piece of bread."]

EMBEDS = """
    from ipfs_accelerate import Accelerator
    with Accelerator(browser={kind!r}, websocket_port=0, threads=2) as made:
        print("starting")
        a, b = made.embed(["A man is eating food.", "A man is eating a piece of bread."]).output
        print("embedded", format(a @ b, ".3f"))
        {then}
"""
WAITS = "import time; time.sleep(600)"


@pytest.fixture(scope="module", params=["firefox", "portable"])
def kind(request):
    """The name of a kind that is here."""
    if request.param == "portable" and not portable.supported():
        pytest.skip("the portable browser is for Linux on x86-64")
    try:
        find_browser(request.param)
    except BrowserError as error:
        if request.param == "portable":
            pytest.fail(str(error))  # `make setup` has installed it
        pytest.skip(str(error))
    return request.param


@pytest.fixture
def place(tmp_path):
    """A place of this test alone, but for the portable browser, which is where it was."""
    place = Place(tmp_path)
    place.cache.mkdir()
    (place.cache / "browsers").symlink_to(cache_dir() / "browsers")
    return place


@pytest.fixture(scope="module")
def natively(shared_cache):
    """MiniLM in native onnxruntime, from the blocks that the browser gets."""

    def embed(texts):
        store = BlockStore(shared_cache)
        manifest = resolve(DEFAULT, store)
        feeds = TextProcessor(manifest, store)(texts)
        (vectors,) = native.run(store.path(manifest.graph.cid), feeds).values()
        return vectors

    return embed


def test_its_vectors_are_native_ones(kind, shared_cache, natively):
    options = {"cache_dir": shared_cache, "websocket_port": 0, "threads": 2, "platform": "wasm"}
    with Accelerator(browser=kind, **options) as made:
        result = made.embed(TEXTS)
    assert (result.browser, result.backend, result.device) == (kind, "wasm", "cpu")
    assert np.abs(result.output - natively(TEXTS)).max() < TOLERANCE
    assert result.output[0] @ result.output[1] == pytest.approx(0.755, abs=1e-3)


def test_a_close_leaves_nothing_and_the_next_finds_its_profile(kind, place):
    for _ in range(2):
        done = place.run(EMBEDS.format(kind=kind, then="pass"))
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == ["starting", "embedded 0.755"]
        assert done.stderr == ""
        assert place.is_clear(), (processes.of_folder(place.cache), place.litter())
    assert [slot.name for slot in (place.cache / "profiles" / kind).iterdir()] == ["slot-0"]


@pytest.mark.parametrize(
    ("number", "after"),
    [
        (signal.SIGKILL, "embedded 0.755"),
        (signal.SIGINT, "embedded 0.755"),
        (signal.SIGKILL, "starting"),
        (signal.SIGTERM, "starting"),
    ],
)
def test_a_signal_leaves_no_process_within_5_s(kind, place, number, after):
    with place.program(EMBEDS.format(kind=kind, then=WAITS)) as program:
        assert said(program, after)
        if after == "starting":
            time.sleep(0.7)
        program.send_signal(number)
        program.wait(timeout=30)
        assert place.is_clear(), (processes.of_folder(place.cache), place.litter())


def test_no_secret_is_on_a_command_line_or_in_an_environment(kind, place):
    with place.program(EMBEDS.format(kind=kind, then=WAITS)) as program:
        assert said(program, "embedded 0.755")
        lines = processes.of_folder(place.cache)
        assert any("start.html" in line for line in lines.values())
        for pid, line in lines.items():
            assert "token" not in line.lower()
            assert "http" not in line
            assert b"token=" not in processes.read(pid, "environ").lower()
        assert not list(place.cache.rglob("start.html"))


def test_one_that_is_killed_in_the_middle_is_started_anew(kind, place):
    then = "sys.stdin.readline(); print('again', made.embed('more').output.shape)"
    code = EMBEDS.format(kind=kind, then=f"import sys; {then}")
    with place.program(code, stdin=subprocess.PIPE) as program:
        assert said(program, "embedded 0.755")
        processes.kill(first_of(place))
        time.sleep(0.5)
        program.stdin.write("\n")
        program.stdin.flush()
        assert said(program, "again (1, 384)")
        program.communicate(timeout=30)
    assert place.is_clear()


def first_of(place):
    """The browser's own first process: the program on the page, and no keeper of it."""
    lines = processes.of_folder(place.cache)
    (pid,) = [
        pid for pid, line in lines.items() if "start.html" in line and "keeper.py" not in line
    ]
    return pid
