import sys

import pytest

from ipfs_accelerate.browsers import version
from ipfs_accelerate.browsers.installed import Installed
from ipfs_accelerate.browsers.version import version_of


def program(path, code):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{code}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Chromium 156.0.8078.79 built on Debian 12", "156.0.8078.79"),
        ("Google Chrome 140.0.1 ", "140.0.1"),
        ("no number", ""),
        ("", ""),
    ],
)
def test_a_program_is_asked_and_its_words_are_searched(tmp_path, said, found):
    asked = program(tmp_path / "chrome", f"import sys; assert sys.argv[1:] == ['--version']\n"
                    f"print({said!r})")  # fmt: skip
    assert version_of(asked) == found


def test_firefox_has_written_it_down_and_is_not_run(tmp_path):
    path = program(tmp_path / "firefox", "raise SystemExit('it was run')")
    (tmp_path / "application.ini").write_text("[App]\nName=Firefox\nVersion=153.7.0\nBuildID=1\n")
    assert version_of(path) == "153.7.0"
    link = tmp_path / "bin" / "firefox"
    link.parent.mkdir()
    link.symlink_to(path)
    assert version_of(link) == "153.7.0"


def test_on_macos_it_is_written_beside_the_program(tmp_path):
    path = program(tmp_path / "Contents" / "MacOS" / "firefox", "raise SystemExit('it was run')")
    written = tmp_path / "Contents" / "Resources" / "application.ini"
    written.parent.mkdir()
    written.write_text("Version=153.7.0\n")
    assert version_of(path) == "153.7.0"


def test_a_file_that_does_not_say_it_is_as_none(tmp_path):
    (tmp_path / "application.ini").write_text("[App]\nMinVersion=1.0\n")
    assert version_of(program(tmp_path / "firefox", "print('Firefox 1.5')")) == "1.5"


def test_the_portable_ones_is_its_packages(tmp_path):
    assert version_of(tmp_path / "portable-147.0.2" / "chromium") == "147.0.2"


def test_one_that_can_not_be_run_or_does_not_answer_has_none(tmp_path, monkeypatch):
    assert version_of(tmp_path / "gone") == ""
    monkeypatch.setattr(version, "_ENOUGH_S", 0.2)
    assert version_of(program(tmp_path / "slow", "import time; time.sleep(600)")) == ""


def test_a_browser_is_asked_once(tmp_path):
    asked = program(tmp_path / "chrome", "print('Chrome 1.2.3')")
    installed = Installed("chrome", "chromium", asked)
    assert installed.version == "1.2.3"
    asked.unlink()
    assert installed.version == "1.2.3"
    assert installed == Installed("chrome", "chromium", asked, notice="does not tell them apart")
