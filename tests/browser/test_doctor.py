"""The doctor, run as a person would run it."""

import json
import os
import pty
import subprocess
import sys

import pytest
from tests.browser.scripts import Place


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def examined(place, *words, returncode=0):
    done = place.cli(["doctor", "--json", *words])
    assert done.stderr == ""
    assert done.returncode == returncode
    return json.loads(done.stdout)


def test_quick_starts_no_browser(place, installed):
    told = examined(place, "--quick")
    assert told["works"]
    assert not told["measured"]
    (path, *_) = [one["path"] for one in told["browsers"]]
    assert path == str(installed.path)
    assert all(one["launches"] == [] for one in told["browsers"])
    assert told["browsers"][0]["version"]
    assert told["system"]["cores"] == len(os.sched_getaffinity(0))
    assert not place.cache.exists()


def test_a_browser_is_measured_in_each_of_its_launches_and_ended(place, installed):
    told = examined(place, "--browser", installed.name)
    (first, *_) = told["browsers"]
    assert {one["name"] for one in told["browsers"]} == {installed.name}
    assert first["path"] == str(installed.path)
    plain = first["launches"][0]
    found = {one["platform"]: one for one in plain["abilities"]}
    assert set(found) == {"webgpu", "webnn", "wasm"}
    assert found["wasm"]["device"] == "cpu"
    assert found["wasm"]["gflops"] > 0
    assert all(one["abilities"] or one["error"] for one in first["launches"])
    if not told["signs"]["nodes"]:
        assert found["webgpu"]["device"] == "software-gpu"
        said = [one for one in told["findings"] if "reaches a GPU" in one["what"]]
        assert said[0]["do"]
    assert place.is_clear()


def test_a_browser_that_is_not_here_is_no_success(place):
    told = examined(place, "--quick", "--browser", "edge", returncode=1)
    assert told["browsers"] == []
    assert told["findings"][0]["level"] == "error"
    assert [one["name"] for one in told["missing"]] == ["edge"]


def test_an_unknown_name_is_an_error_that_helps(place):
    done = place.cli(["doctor", "--browser", "chromum"])
    assert done.returncode == 1
    assert "Did you mean 'chromium'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_variable_that_names_no_browser_is_told(place):
    environment = place.environment() | {"IPFS_ACCELERATE_BROWSER": "/no/such/browser"}
    done = place.cli(["doctor", "--quick", "--json"], env=environment)
    told = json.loads(done.stdout)
    assert "/no/such/browser" in told["trouble"]
    assert told["findings"][0]["level"] == "error"


def test_a_proxys_password_is_told_to_nobody(place):
    environment = place.environment() | {"HTTP_PROXY": "http://user:s3cr3t@127.0.0.1:9"}
    done = place.cli(["doctor", "--quick"], env=environment)
    assert "HTTP_PROXY=http://127.0.0.1:9" in done.stdout
    assert "NO_PROXY" in done.stdout
    assert "s3cr3t" not in done.stdout + done.stderr


def test_piped_it_is_plain_lines(place, installed):
    done = place.cli(["doctor", "--quick"])
    assert done.returncode == 0
    assert str(installed.path) in done.stdout
    assert "\x1b" not in done.stdout
    assert "What this comes to:" in done.stdout.splitlines()


def test_on_a_terminal_it_is_tables(place, installed):
    ours, theirs = pty.openpty()
    try:
        words = [sys.executable, "-m", "ipfs_accelerate", "doctor", "--quick"]
        environment = place.environment() | {"COLUMNS": "120", "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        with subprocess.Popen(words, env=environment, stdout=theirs, stderr=theirs) as program:
            os.close(theirs)
            shown = b""
            while chunk := _read(ours):
                shown += chunk
        assert program.returncode == 0
    finally:
        os.close(ours)
    assert b"\x1b[1mSystem" in shown
    assert os.fsencode(installed.path) in shown


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux's way to say that the other end was closed
        return b""
