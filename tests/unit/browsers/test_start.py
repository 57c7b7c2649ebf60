import json
import re

import pytest

from ipfs_accelerate.browsers.start import start_page
from ipfs_accelerate.errors import BrowserError


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
