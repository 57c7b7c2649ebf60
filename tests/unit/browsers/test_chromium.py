import json
import re
from pathlib import Path

import pytest

from ipfs_accelerate.browsers.chromium import command, start_page
from ipfs_accelerate.browsers.find import Installed
from ipfs_accelerate.errors import BrowserError

INSTALLED = Installed("chromium", "chromium", Path("/usr/lib/chromium/chromium"))
PROFILE = Path("/cache/a profile")
START = Path("/cache/a profile/start ü.html")


def flags(*, headless=True, sandbox=True):
    return command(INSTALLED, PROFILE, START, headless=headless, sandbox=sandbox)


def test_the_command_has_its_program_first_and_its_page_last():
    assert flags()[0] == "/usr/lib/chromium/chromium"
    assert flags()[-1] == "file:///cache/a%20profile/start%20%C3%BC.html"
    assert "--user-data-dir=/cache/a profile" in flags()


@pytest.mark.parametrize(
    "flag",
    [
        "--remote-debugging-pipe",
        "--disable-background-timer-throttling",
        "--disable-renderer-backgrounding",
        "--disable-backgrounding-occluded-windows",
        "--no-first-run",
    ],
)
def test_the_command_always_has(flag):
    assert flag in flags()
    assert flag in flags(headless=False, sandbox=False)


def test_the_window_and_the_sandbox_are_given_up_only_when_asked():
    assert "--headless" in flags()
    assert "--headless" not in flags(headless=False)
    assert "--no-sandbox" not in flags()
    assert "--no-sandbox" in flags(sandbox=False)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8765/#token=abc",
        'http://127.0.0.1/"+alert(1)+"#',
        "http://127.0.0.1/</script><script>alert(1)</script>",
        "http://127.0.0.1/<!--<script>",
        "http://127.0.0.1/\\\n\u2028\u2029ü",
    ],
)
def test_no_address_gets_out_of_its_string(url):
    page = start_page(url)
    script = re.fullmatch(r"<!doctype.*?<script>(.*)</script>\n", page, re.DOTALL)
    assert script
    literal = script[1].removeprefix("location.replace(").removesuffix(")")
    assert json.loads(literal) == url
    assert "<" not in literal
    assert page.isascii()
    assert literal.count("\n") == 0


@pytest.mark.parametrize("url", ["javascript:alert(1)#secret", "file:///etc/passwd", ""])
def test_only_web_addresses_are_opened(url):
    with pytest.raises(BrowserError, match="no web address") as caught:
        start_page(url)
    assert "secret" not in str(caught.value)
