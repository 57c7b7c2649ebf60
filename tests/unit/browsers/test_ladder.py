from pathlib import Path

import pytest

from ipfs_accelerate.browsers.installed import Installed
from ipfs_accelerate.browsers.ladder import has_display, rungs

CHROME = Installed("chrome", "chromium", Path("/opt/google/chrome/chrome"))
FIREFOX = Installed("firefox", "firefox", Path("/usr/lib/firefox/firefox"))
PORTABLE = Installed("portable", "chromium", Path("/cache/portable-1/chromium"))


def names(*args, **kwargs):
    return [rung.name for rung in rungs(*args, **kwargs)]


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("installed", [CHROME, FIREFOX, PORTABLE])
def test_the_first_is_as_it_is(installed, platform):
    for headless in (True, False):
        first = rungs(installed, platform, headless)[0]
        assert (first.flags, first.headless) == ((), headless)


def test_chromium_on_linux_tries_vulkan_then_any_driver_then_a_window():
    assert names(CHROME, "linux") == ["plain", "vulkan", "offscreen", "any-driver"]
    assert names(CHROME, "linux", display=True) == [
        "plain", "vulkan", "offscreen", "any-driver", "window", "window-vulkan",
    ]  # fmt: skip
    _, vulkan, offscreen, any_driver = rungs(CHROME, "linux")
    assert vulkan.flags == ("--enable-features=Vulkan", "--use-angle=vulkan")
    assert offscreen.flags == (*vulkan.flags, "--disable-vulkan-surface")
    assert any_driver.flags == (*offscreen.flags, "--ignore-gpu-blocklist")


def test_what_has_a_window_has_a_surface():
    for rung in rungs(CHROME, "linux", headless=False):
        assert "--disable-vulkan-surface" not in rung.flags
    assert names(CHROME, "linux", headless=False) == ["plain", "vulkan", "any-driver"]


@pytest.mark.parametrize("installed", [CHROME, FIREFOX])
def test_who_wants_a_window_gets_one_on_every_rung(installed):
    found = rungs(installed, "linux", headless=False, display=True)
    assert not [rung for rung in found if rung.headless]
    assert len({rung.name for rung in found}) == len(found)
    assert "window" not in [rung.name for rung in found]


def test_elsewhere_there_is_no_vulkan():
    for platform in ("darwin", "win32"):
        assert names(CHROME, platform, display=True) == ["plain", "any-driver", "window"]
        assert not [rung for rung in rungs(CHROME, platform) if "ulkan" in str(rung.flags)]


def test_firefox_has_a_window_to_try():
    assert names(FIREFOX, "linux") == ["plain"]
    assert names(FIREFOX, "linux", display=True) == ["plain", "window"]


def test_the_portable_one_has_nothing_to_climb():
    assert names(PORTABLE, "linux", display=True) == ["plain"]


def test_a_display_is_told_by_the_variables_of_linux_alone():
    assert not has_display("linux", {"DISPLAY": ""})
    assert has_display("linux", {"DISPLAY": ":0"})
    assert has_display("linux", {"WAYLAND_DISPLAY": "wayland-0"})
    assert has_display("darwin", {})
