import json
import os
import signal
import subprocess
import sys

import pytest

from ipfs_accelerate.browsers import leftovers
from ipfs_accelerate.browsers.leftovers import clear_litter, end_recorded, record
from ipfs_accelerate.errors import BrowserError

IGNORES_EOF = "import time; print('ready', flush=True); time.sleep(600)"


@pytest.fixture(autouse=True)
def _short_grace(monkeypatch):
    monkeypatch.setattr(leftovers, "_GRACE_S", 0.2)


@pytest.fixture
def browser(tmp_path):
    """A process whose command line names the profile, as a browser's does."""
    child = subprocess.Popen(
        [sys.executable, "-c", IGNORES_EOF, f"--user-data-dir={tmp_path / 'profile'}"],
        stdout=subprocess.PIPE,
        process_group=0,
    )
    assert child.stdout
    child.stdout.readline()
    yield child
    child.kill()
    child.wait()
    child.stdout.close()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "process.json"


def test_a_browser_that_outlived_its_run_is_ended(tmp_path, file, browser):
    record(file, browser.pid)
    assert file.stat().st_mode & 0o777 == 0o600
    end_recorded(file, tmp_path / "profile")
    assert browser.wait() == -signal.SIGKILL
    assert not file.exists()


def test_one_that_leads_no_group_is_ended_alone(tmp_path, file):
    child = subprocess.Popen(
        [sys.executable, "-c", IGNORES_EOF, str(tmp_path / "profile")], stdout=subprocess.PIPE
    )
    assert child.stdout
    child.stdout.readline()
    record(file, child.pid)
    end_recorded(file, tmp_path / "profile")
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()


def test_a_process_on_another_profile_is_left_alone(tmp_path, file, browser):
    record(file, browser.pid)
    end_recorded(file, tmp_path / "another profile")
    assert browser.poll() is None
    assert not file.exists()


def test_a_process_that_took_the_number_later_is_left_alone(tmp_path, file, browser):
    file.write_text(json.dumps({"pid": browser.pid, "started": "earlier"}))
    end_recorded(file, tmp_path / "profile")
    assert browser.poll() is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": "x", "started": 1}', "null"])
def test_a_record_that_says_nothing_ends_nothing(tmp_path, file, text):
    file.write_text(text)
    end_recorded(file, tmp_path)
    assert not file.exists()


def test_one_that_can_not_be_ended_is_an_error_that_names_it(tmp_path, file, browser, monkeypatch):
    def refuse(*_):
        raise PermissionError

    record(file, browser.pid)
    with monkeypatch.context() as patched:
        patched.setattr(os, "killpg", refuse)
        with pytest.raises(BrowserError, match=f"kill -9 {browser.pid}"):
            end_recorded(file, tmp_path / "profile")
    assert file.exists()


def test_a_disk_that_refuses_the_record_is_no_reason_to_stop(tmp_path, browser):
    record(tmp_path / "no such folder" / "process.json", browser.pid)
    assert browser.poll() is None


def test_nothing_is_recorded_of_a_process_that_is_gone(file):
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    record(file, child.pid)
    assert not file.exists()


def test_litter_is_removed_and_the_rest_stays(tmp_path):
    profile, temporary = tmp_path / "profile", tmp_path / "tmp"
    for folder in (profile, temporary / "org.chromium.X"):
        folder.mkdir(parents=True)
    (profile / "SingletonLock").symlink_to("host-1")
    (profile / "SingletonSocket").symlink_to("/gone")
    (profile / "Local State").write_text("kept")
    clear_litter(profile, temporary)
    assert [each.name for each in profile.iterdir()] == ["Local State"]
    assert not temporary.exists()
