import os
import re
import sys
from pathlib import Path

import pytest

from ipfs_accelerate.browsers import firefox
from ipfs_accelerate.browsers.installed import Installed
from ipfs_accelerate.browsers.start import Start

INSTALLED = Installed("firefox", "firefox", Path("/usr/lib/firefox/firefox"))


def start(slot=Path("/cache/slot-0"), **more):
    return Start(
        installed=INSTALLED,
        slot=slot,
        profile=slot / "profile",
        start_file=slot / "start ü.html",
        **more,
    )


def test_a_keeper_runs_the_program_on_its_profile_and_its_page():
    command = firefox.command(start())
    assert command[0] == sys.executable
    assert str(os.getpid()) in command
    program = command[command.index(str(INSTALLED.path)) :]
    assert program[1:] == [
        "--headless",
        "--no-remote",
        "--profile",
        "/cache/slot-0/profile",
        "file:///cache/slot-0/start%20%C3%BC.html",
    ]


def test_a_window_is_shown_only_when_asked_for():
    assert "--headless" not in firefox.command(start(headless=False))


def test_a_rungs_flags_come_before_the_page():
    assert firefox.command(start(flags=("--flag",)))[-2] == "--flag"


def test_what_it_writes_at_home_stays_in_the_slot():
    environment = firefox.environment(start())
    assert environment["HOME"].startswith("/cache/slot-0/")
    assert environment["MOZ_REMOTE_SETTINGS_DEVTOOLS"] == "1"


@pytest.mark.parametrize(
    "line",
    [
        'user_pref("dom.webgpu.enabled", true);',
        'user_pref("gfx.webgpu.ignore-blocklist", true);',
        'user_pref("dom.max_script_run_time", 0);',
        'user_pref("network.trr.mode", 5);',
        'user_pref("dom.timeout.enable_budget_timer_throttling", false);',
        'user_pref("browser.startup.homepage_override.mstone", "ignore");',
    ],
)
def test_the_preferences_say(line):
    assert line in firefox.user_js().splitlines()


def test_every_preference_is_a_line_that_firefox_reads():
    for line in firefox.user_js().splitlines():
        assert re.fullmatch(r'user_pref\("[\w.-]+", (true|false|-?\d+|"[^"\\]*")\);', line), line


def test_no_preference_names_a_host():
    assert "://" not in firefox.user_js()


def test_the_preferences_are_written_anew_for_this_user_alone(tmp_path):
    written = tmp_path / "profile" / "user.js"
    written.parent.mkdir()
    written.write_text("of an earlier start")
    firefox.prepare(start(tmp_path))
    assert written.read_text() == firefox.user_js()
    assert written.stat().st_mode & 0o777 == 0o600
