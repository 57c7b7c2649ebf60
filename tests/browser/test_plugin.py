"""The pytest plugin, in a pytest of its own, as whoever has installed the package runs it."""

import re
import sys
import textwrap

import pytest
from tests.browser import graphs
from tests.browser.scripts import Place
from tests.unit.test_import import HEAVY, loaded_by

TESTS = """
    import os

    import numpy as np
    import pytest

    X = {"x": np.ones(3, np.float32)}
    seen = []


    def test_it_computes(accelerator):
        seen.append(accelerator)
        result = accelerator.run("adding.onnx", X)
        assert result.output.tolist() == [2, 2, 2]
        assert result.browser == os.environ["BROWSER"]


    def test_it_is_the_same_one(accelerator):
        assert accelerator is seen[-1]


    def test_it_is_close_to_native(assert_close_to_native):
        assert assert_close_to_native("adding.onnx", X).platform == "wasm"


    def test_what_is_not_close_fails(assert_close_to_native, monkeypatch):
        from ipfs_accelerate.validate import native

        monkeypatch.setattr(native, "run", lambda _model, _inputs: {"out": X["x"] * 2.02})
        with pytest.raises(AssertionError, match="2 where 2.02 is right, at"):
            assert_close_to_native("adding.onnx", X)


    def test_without_a_browser():
        pass
"""


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    graphs.save(graphs.adding(), place.work / "adding.onnx")
    (place.work / "test_mine.py").write_text(textwrap.dedent(TESTS))
    return place


def ran(place, *words, browser=""):
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *words]
    done = place.command(command, env=place.environment() | {"BROWSER": browser})
    assert place.is_clear()
    return done


def test_tests_run_in_the_first_browser_that_is_found(place, installed):
    done = ran(place, "--accelerate-platform=wasm", browser=installed.name)
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout
    assert "warning" not in done.stdout


def test_tests_run_in_each_browser_that_is_named(place, installed):
    named = f"--accelerate-browsers={installed.name},no-such-browser"
    done = ran(place, named, "--accelerate-platform=wasm", browser=installed.name)
    assert re.search(rf"test_it_computes\[{installed.name}\] PASSED", done.stdout)
    assert re.search(r"test_it_computes\[no-such-browser\] ERROR", done.stdout)
    assert "browser='no-such-browser' is not there" in done.stdout
    assert re.search(r"test_without_a_browser PASSED", done.stdout)
    assert "5 passed, 4 errors" in done.stdout


def test_the_platform_is_the_accelerators(place):
    done = ran(place, "--accelerate-platform=webgp", "-k", "computes")
    assert "Did you mean 'webgpu'?" in done.stdout


def test_a_fixture_of_ones_own_takes_the_plugins_place(place):
    own = "import pytest\n@pytest.fixture\ndef accelerator():\n    return 'mine'\n"
    (place.work / "conftest.py").write_text(own)
    mine = "def test_mine(accelerator):\n    assert accelerator == 'mine'\n"
    (place.work / "test_mine.py").write_text(mine)
    done = ran(place, "--accelerate-browsers=no-such-browser")
    assert done.returncode == 0, done.stdout


def test_the_options_are_told(place):
    said = ran(place, "--help").stdout
    assert "--accelerate-browsers=NAMES" in said
    assert "--accelerate-platform=NAME" in said


def test_loading_it_loads_nothing_heavy():
    assert not loaded_by("import ipfs_accelerate.pytest_plugin") & HEAVY
