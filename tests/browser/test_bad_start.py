"""Bad options, and a port, browser or cache that can't be had: what is mended then works."""

import math
import socket

import pytest
from tests.browser import graphs
from tests.browser.refusals import X, assert_works, refusal

from ipfs_accelerate import Accelerator, BrowserError, ConfigError, TransportError

pytestmark = pytest.mark.usefixtures("nothing_hangs")


@pytest.fixture
def adding(tmp_path):
    return graphs.save(graphs.adding(), tmp_path / "adding.onnx")


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"websocketport": 1}, "Did you mean 'websocket_port'"),
        ({"thread": 2}, "Did you mean 'threads'"),
        ({"max_conections": 2}, "Did you mean 'max_connections'"),
        ({"qqqq": 2}, "The options are browser, browser_path, "),
    ],
)
def test_an_unknown_option_names_the_nearest(options, hint):
    error = refusal(lambda: Accelerator(**options))
    assert error.code == "unknown_option"
    assert hint in str(error)


@pytest.mark.parametrize(
    "options",
    [
        {"threads": 0},
        {"threads": "two"},
        {"threads": True},
        {"max_connections": 0},
        {"websocket_port": 70_000},
        {"websocket_port": -1},
        {"inference_timeout_s": 0},
        {"load_timeout_s": math.nan},
        {"startup_timeout_s": "soon"},
        {"headless": "yes"},
        {"browser": "chrom"},
        {"browser": "safari"},
        {"platform": "webgp"},
        {"cache_dir": 5},
        {"browser_path": 5},
        {"on_progress": 5},
    ],
)
def test_an_options_value_that_does_not_fit(options):
    ((name, value),) = options.items()
    error = refusal(lambda: Accelerator(**options))
    assert isinstance(error, ConfigError)
    assert error.code == "bad_option"
    assert f"{name}={value!r}" in error.message


def test_a_port_that_is_asked_for_and_taken(make, adding):
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        made = make(websocket_port=port)
        for _ in range(2):
            error = refusal(lambda: made.run(adding, X))
            assert isinstance(error, TransportError)
            assert error.code == "port_taken"
            assert f"Port {port}" in error.message
    assert_works(made, adding)
    assert made.get_metrics()["bridge"]["port"] == port


def test_a_browser_that_is_not_there(make, adding, tmp_path, installed):
    path = tmp_path / "chromium"
    made = make(browser_path=path)
    for there in (lambda: None, path.mkdir):
        there()
        error = refusal(lambda: made.run(adding, X))
        assert isinstance(error, BrowserError)
        assert error.code == "browser_not_found"
        assert f"`browser_path` names a browser at {path}" in error.message
        assert str(installed.path) in str(error)  # what could be taken in its place
    path.rmdir()
    path.symlink_to(installed.path)
    assert_works(made, adding)


def test_a_browser_that_is_none(make, adding, tmp_path, installed):
    path = tmp_path / "chromium"
    path.write_text("#!/bin/sh\necho no luck >&2\nexit 3\n")
    path.chmod(0o755)
    made = make(browser_path=path)
    error = refusal(lambda: made.run(adding, X))
    assert error.code == "browser_failed"
    assert "exit code 3" in error.message
    assert "no luck" in error.message
    path.unlink()
    path.symlink_to(installed.path)
    assert_works(made, adding)


def test_a_cache_that_is_a_file(make, adding, tmp_path):
    cache = tmp_path / "cache"
    cache.write_text("in the way")
    made = make(cache_dir=cache)
    error = refusal(lambda: made.run(adding, X))
    assert error.code in ("bad_option", "block_unavailable")
    assert str(cache) in error.message
    cache.unlink()
    assert_works(made, adding)
