"""Options: typed, checked, and helpful where they are wrong."""

import os
from pathlib import Path
from typing import Any

import pytest

from ipfs_accelerate.config import Config, Wish, cache_dir, check_remember
from ipfs_accelerate.errors import ConfigError


def test_the_defaults_are_sensible() -> None:
    config = Config.of()
    assert config.headless
    assert config.platform == "auto"
    assert config.worker_threads == len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("headles", "headless"), ("thread", "threads"), ("websocketport", "websocket_port")],
)
def test_an_unknown_option_names_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(ConfigError, match=f"Did you mean '{nearest}'") as caught:
        Config.of(**{name: 1})
    assert caught.value.code == "unknown_option"


def test_an_option_like_no_other_lists_them_all() -> None:
    with pytest.raises(ConfigError, match="The options are browser, "):
        Config.of(zzzzzzzz=1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("browser", "netscape"),
        ("platform", "webgl"),
        ("headless", "yes"),
        ("max_connections", 0),
        ("max_connections", True),
        ("threads", 1.5),
        ("websocket_port", -1),
        ("websocket_port", 65536),
        ("startup_timeout_s", 0),
        ("inference_timeout_s", float("nan")),
        ("load_timeout_s", "long"),
        ("cache_dir", 3),
        ("browser_path", b"/x"),
        ("share", "no"),
        ("remember", 0),
        ("remember_mb", -1),
        ("remember_mb", 1.5),
        ("remember_mb", 1_000_001),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_what_does(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=name) as caught:
        Config.of(**{name: value})
    assert caught.value.code == "bad_option"
    assert caught.value.hint


def test_a_misspelt_browser_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'chrome'"):
        Config.of(browser="chrom")


def test_threads_are_shared_among_the_browsers() -> None:
    cores = len(os.sched_getaffinity(0))
    assert Config.of(max_connections=64).worker_threads == max(1, cores // 64)
    assert Config.of(threads=3).worker_threads == 3


def test_the_cache_folder_is_asked_for_named_or_the_users(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("IPFS_ACCELERATE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_dir() == tmp_path / ".cache" / "ipfs-accelerate"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_dir() == tmp_path / "x" / "ipfs-accelerate"
    monkeypatch.setenv("IPFS_ACCELERATE_CACHE", str(tmp_path / "y"))
    assert Config.of().folder == tmp_path / "y"
    assert Config.of(cache_dir=tmp_path / "z").folder == tmp_path / "z"


def test_a_call_stands_in_place_of_the_accelerators_options() -> None:
    config = Config.of(platform="webnn", allow_fallback=["wasm"])
    assert Wish.of(config, {}) == Wish("webnn", allow_fallback=("wasm",))
    assert Wish.of(config, {"platform": None, "require_hardware": True}).require_hardware
    assert Wish.of(config, {"platform": "auto"}).named == ()
    assert Wish.of(config, {"platform": "webgpu"}).named == ("webgpu", "wasm")
    assert Wish.of(config, {"allow_fallback": []}).named == ("webnn",)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"platform": "cuda"}, "auto, webgpu, webnn, wasm"),
        ({"platfrom": "wasm"}, "Did you mean 'platform'"),
        ({"require_hardware": "yes"}, "True or False"),
        ({"allow_fallback": "wasm"}, "a list such as"),
        ({"allow_fallback": ["auto"]}, "webgpu, webnn, wasm"),
    ],
)
def test_a_wish_that_nothing_can_grant_says_what_can(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Wish.of(Config.of(), options)


def test_sharing_and_remembering_are_on_unless_they_are_turned_off() -> None:
    config = Config.of()
    assert config.share
    assert config.remember
    assert config.remember_bytes == 64_000_000
    assert Config.of(remember_mb=0).remember_bytes == 0


@pytest.mark.parametrize("accelerators", [True, False])
def test_a_call_is_remembered_as_it_says_and_else_as_its_accelerators_are(
    accelerators: bool,
) -> None:
    config = Config.of(remember=accelerators)
    assert check_remember(None, config) is accelerators
    for value in (True, False):
        assert check_remember(value, config) is value
    with pytest.raises(ConfigError, match="remember='yes' does not fit"):
        check_remember("yes", config)
