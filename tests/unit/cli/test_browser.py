import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ipfs_accelerate.browsers import Installed, portable
from ipfs_accelerate.cli import browser
from ipfs_accelerate.cli.main import app
from ipfs_accelerate.errors import BrowserError


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("IPFS_ACCELERATE_CACHE", str(tmp_path))
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, ["browser", *words], catch_exceptions=False)


@pytest.fixture
def found(monkeypatch):
    one = Installed("portable", "chromium", Path("/cache/portable-1.2.3/chromium"))
    browsers = [one]
    monkeypatch.setattr(browser, "installed_browsers", lambda: browsers)
    return browsers


@pytest.fixture
def on_terminal(monkeypatch):
    monkeypatch.setattr(browser, "_for_a_person", lambda: True)


def test_the_browsers_are_listed_as_json_where_nobody_looks(found):
    row = {"name": "portable", "engine": "chromium", "version": "1.2.3"}
    listed = run("list")
    assert json.loads(listed.stdout) == [row | {"path": "/cache/portable-1.2.3/chromium"}]
    found.clear()
    assert json.loads(run("list", "--json").stdout) == []


@pytest.mark.usefixtures("on_terminal")
def test_a_person_gets_a_table_and_json_when_asked(found):
    assert run("list").stdout.split() == [
        "name", "version", "path", "portable", "1.2.3", "/cache/portable-1.2.3/chromium",
    ]  # fmt: skip
    assert json.loads(run("list", "--json").stdout)
    found.clear()
    assert "ipfs-accelerate browser install" in run("list").stdout


def test_an_install_says_where_and_a_second_that_it_was_there(monkeypatch):
    stages = []

    def install(show):
        for stage in (("fetch", 1, 2), ("unpack", 2, 2)):
            show(*stage)
        stages.append(stage)
        return len(stages) == 1

    monkeypatch.setattr(browser, "install_portable", install)
    first, second = run("install").stdout, run("install").stdout
    assert "is installed in" in first
    assert "is already there" in second
    for said in (first, second):
        assert str(portable.folder()) in said.replace("\n", "")


def test_an_install_that_is_refused_is_an_error_of_the_tree(monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(BrowserError, match="riscv64"):
        run("install")


def test_a_removal_says_what_is_gone():
    folder = portable.folder()
    folder.mkdir(parents=True)
    assert f"Removed {folder}" in run("remove").stdout.replace("\n", "")
    assert not folder.exists()
    assert "There was none" in run("remove").stdout


def test_the_help_names_the_three():
    said = run("--help").stdout
    for word in ("list", "install", "remove"):
        assert word in said
