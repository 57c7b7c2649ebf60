from pathlib import Path

import pytest

from ipfs_accelerate.browsers import find, portable
from ipfs_accelerate.browsers.find import find_browser, installed_browsers
from ipfs_accelerate.browsers.installed import Installed, engine_of
from ipfs_accelerate.browsers.places import Candidate
from ipfs_accelerate.errors import BrowserError


@pytest.fixture(autouse=True)
def _linux_without_a_wish(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("IPFS_ACCELERATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
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
        ("firefox-esr", "firefox"),
    ],
)
def test_a_path_is_taken_as_it_is(places, tmp_path, file, name):
    path = program(tmp_path / file)
    assert find_browser(path=path) == Installed(name, engine_of(name), path)
    assert find_browser(path=path).engine == ("firefox" if name == "firefox" else "chromium")


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
    assert "no other kind" in refused(path=program(tmp_path / "Safari"))


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


def test_firefox_is_found_by_its_name(places, tmp_path):
    places.append(Candidate("firefox", program(tmp_path / "firefox-esr")))
    assert find_browser().name == "chromium"
    assert find_browser("firefox") == Installed("firefox", "firefox", tmp_path / "firefox-esr")


def test_the_variable_may_give_a_name(places, monkeypatch):
    monkeypatch.setenv(find.VARIABLE, "Edge")
    assert find_browser().path == places[2].path
    monkeypatch.setenv(find.VARIABLE, "firefox")
    assert "'firefox' was not found" in refused()


def test_a_script_that_leads_to_what_is_there_is_not_another(places, tmp_path):
    places.append(Candidate("chromium", program(tmp_path / "wrapper", "#!/bin/sh\n")))
    link = tmp_path / "link"
    link.symlink_to(places[1].path)
    places.append(Candidate("chromium", link))
    assert [each.path for each in installed_browsers()] == [places[1].path, places[2].path]


def test_a_script_alone_is_a_browser(monkeypatch, tmp_path):
    script = program(tmp_path / "google-chrome", "#!/bin/sh\nexec chrome\n")
    monkeypatch.setattr(find, "candidates", lambda *_: [Candidate("chrome", script)])
    assert find_browser().path == script


@pytest.fixture
def portable_one():
    portable.folder().mkdir(parents=True)
    return program(portable.candidate().path)


def test_the_portable_one_comes_last_and_by_its_name(places, portable_one, monkeypatch):
    assert find_browser().name == "chromium"
    assert find_browser("portable") == Installed("portable", "chromium", portable_one)
    assert find_browser("portable").notice == ""
    assert find_browser(path=portable_one).name == "portable"
    monkeypatch.setenv(find.VARIABLE, "portable")
    assert find_browser().path == portable_one
    assert find_browser().notice == ""


def test_the_portable_one_alone_says_what_it_lacks(monkeypatch, portable_one):
    monkeypatch.setattr(find, "candidates", lambda *_: [])
    assert find_browser().path == portable_one
    assert "reaches no GPU" in find_browser().notice


def test_a_portable_one_that_is_missing_names_the_command(places, monkeypatch):
    assert "browser install" in refused("portable")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert "Linux on x86-64" in refused("portable")


def test_where_there_is_none_the_portable_one_is_a_way(monkeypatch):
    monkeypatch.setattr(find, "candidates", lambda *_: [])
    assert "browser install" in refused()
    assert "browser install" not in refused("edge")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert "browser install" not in refused()
