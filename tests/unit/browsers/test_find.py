from pathlib import Path

import pytest

from ipfs_accelerate.browsers import find
from ipfs_accelerate.browsers.find import Installed, find_browser, installed_browsers
from ipfs_accelerate.browsers.places import Candidate
from ipfs_accelerate.errors import BrowserError


@pytest.fixture(autouse=True)
def _linux_without_a_wish(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv(find.VARIABLE, raising=False)


def program(path: Path, text: str = "\x7fELF") -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def places(monkeypatch, tmp_path):
    """Chromium and Edge are installed; Chrome is looked for in vain."""
    found = [
        Candidate("chrome", tmp_path / "no-chrome"),
        Candidate("chromium", program(tmp_path / "chromium")),
        Candidate("edge", program(tmp_path / "msedge")),
    ]
    monkeypatch.setattr(find, "candidates", lambda *_: found)
    return found


def refused(*args, **kwargs) -> str:
    with pytest.raises(BrowserError) as caught:
        find_browser(*args, **kwargs)
    assert caught.value.code == "browser_not_found"
    return str(caught.value)


def test_takes_the_first_that_is_there(places):
    assert find_browser() == Installed("chromium", "chromium", places[1].path)


def test_takes_the_one_that_is_named(places):
    assert find_browser("edge").path == places[2].path
    assert find_browser("Edge").path == places[2].path


def test_a_name_that_is_not_installed_says_what_is(places):
    said = refused("chrome")
    assert str(places[0].path) in said
    assert f"chromium at {places[1].path}" in said
    assert "apt install" in said


def test_nothing_installed_says_where_it_looked_and_how_to_get_one(monkeypatch, tmp_path):
    nowhere = [Candidate("chrome", tmp_path / "nowhere")]
    monkeypatch.setattr(find, "candidates", lambda *_: nowhere)
    said = refused()
    assert str(tmp_path / "nowhere") in said
    assert "apt install chromium" in said


def test_nothing_installed_on_macos_names_its_own_installer(monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr(find, "candidates", lambda *_: [])
    assert "brew install" in refused()


def test_an_unknown_name_names_the_nearest():
    assert "Did you mean 'chromium'?" in refused("chromum")
    assert "chrome, chromium, edge" in refused("lynx")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("msedge", "edge"),
        ("Microsoft Edge", "edge"),
        ("google-chrome", "chrome"),
        ("chromium", "chromium"),
        ("my-build", "chromium"),
    ],
)
def test_a_path_is_taken_as_it_is(places, tmp_path, file, name):
    path = program(tmp_path / file)
    assert find_browser(path=path) == Installed(name, "chromium", path)


def test_a_name_beside_a_path_is_believed(places, tmp_path):
    assert find_browser("edge", str(program(tmp_path / "odd"))).name == "edge"


def test_the_variable_names_a_path_unless_an_argument_does(places, monkeypatch, tmp_path):
    named = program(tmp_path / "named")
    monkeypatch.setenv(find.VARIABLE, str(named))
    assert find_browser().path == named
    assert find_browser("edge").path == places[2].path
    assert find_browser(path=places[1].path).path == places[1].path
    monkeypatch.setenv(find.VARIABLE, str(tmp_path / "gone"))
    assert find.VARIABLE in refused()


def test_a_path_that_can_not_be_run_says_why_and_what_is_there(places, tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("text")
    assert "does not exist" in refused(path=tmp_path / "gone")
    assert "is not a file" in refused(path=tmp_path)
    assert "is not executable" in refused(path=plain)
    assert f"chromium at {places[1].path}" in refused(path=plain)
    assert "no other kind" in refused(path=program(tmp_path / "firefox-esr"))


def test_a_path_that_fails_where_nothing_else_is(monkeypatch, tmp_path):
    monkeypatch.setattr(find, "candidates", lambda *_: [])
    assert "No other browser is here" in refused(path=tmp_path / "gone")


def test_a_snap_is_passed_over_and_named(monkeypatch, tmp_path):
    snap = program(tmp_path / "chromium-browser", '#!/bin/sh\nexec /snap/bin/chromium "$@"\n')
    monkeypatch.setattr(find, "candidates", lambda *_: [Candidate("chromium", snap)])
    assert installed_browsers() == []
    assert f"{snap} is a snap" in refused()


def test_the_snap_program_itself_is_known(tmp_path):
    link = tmp_path / "chromium"
    link.symlink_to("/usr/bin/snap")
    assert find._is_snap(link)


def test_windows_is_told_that_it_is_not_supported_yet(monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    said = refused()
    assert "isn't supported yet" in said
    assert "WSL" in said
