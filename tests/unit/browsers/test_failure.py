from pathlib import Path

import pytest

from ipfs_accelerate.browsers.failure import ended_early, how, never_dialled, not_started
from ipfs_accelerate.browsers.installed import Installed

INSTALLED = Installed("chrome", "chromium", Path("/opt/google/chrome/chrome"))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "with exit code 0"),
        (21, "with exit code 21"),
        (-9, "by signal SIGKILL"),
        (-200, "by signal 200"),
    ],
)
def test_an_end_is_told_in_words(code, words):
    assert how(code) == words


def test_a_browser_that_ended_shows_what_it_printed():
    error = ended_early(INSTALLED, 21, "first\nlast words", "/p")
    assert error.code == "browser_failed"
    assert error.retryable
    assert "with exit code 21. It printed:\n    first\n    last words\n" in str(error)
    assert "delete the profile /p" in str(error)
    assert error.details == {"returncode": 21, "log": "first\nlast words"}


def test_one_that_printed_nothing_shows_nothing():
    assert "printed" not in str(ended_early(INSTALLED, -11, "", "/p"))


def test_a_long_log_is_cut_to_its_end():
    said = str(ended_early(INSTALLED, 1, "\n".join(f"line {n}." for n in range(100)), "/p"))
    assert "line 99." in said
    assert "line 80." not in said


@pytest.mark.parametrize(
    ("printed", "hint"),
    [
        ("[1:FATAL] No usable sandbox! If you", "user namespaces"),
        ("Running as root without --no-sandbox is not supported.", "another user"),
        ("ERROR Missing X server or $DISPLAY", "headless=True"),
        ("Error: no DISPLAY environment variable specified", "headless=True"),
        ("chrome: error while loading shared libraries: libnss3.so", "from a package"),
        ("write: No space left on device", "Free some space"),
    ],
)
def test_what_is_known_gets_its_own_hint(printed, hint):
    assert hint in str(ended_early(INSTALLED, 1, printed, "/p"))


def test_a_page_that_never_came_is_a_timeout():
    error = never_dialled(INSTALLED, 2.5, "slow", "/p")
    assert error.code == "browser_timeout"
    assert "within 2.5 s" in str(error)
    assert "startup_timeout_s" in str(error)


def test_a_program_that_the_system_refuses_says_why():
    error = not_started(INSTALLED, OSError(8, "Exec format error"))
    assert error.code == "browser_failed"
    assert "Exec format error" in str(error)
