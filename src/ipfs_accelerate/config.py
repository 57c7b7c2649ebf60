"""Every option, once: its name, type, default and meaning."""

from __future__ import annotations

import dataclasses
import difflib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from ipfs_accelerate.errors import ConfigError

PLATFORMS = ("auto", "webgpu", "webnn", "wasm")
BROWSERS = ("chrome", "chromium", "edge", "firefox", "portable")
FIRST_PORT = 8765
PORTS = range(FIRST_PORT, FIRST_PORT + 10)
MOST_AT_ONCE = 1_000_000


def cache_dir() -> Path:
    """The folder that is used where none is asked for: IPFS_ACCELERATE_CACHE, else the user's."""
    named = os.environ.get("IPFS_ACCELERATE_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ipfs-accelerate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The options of an accelerator. `Config.of(**options)` makes one, with errors that help."""

    browser: Annotated[
        str | None, "chrome, chromium, edge, firefox or portable; by default the first found"
    ] = None
    browser_path: Annotated[str | Path | None, "the browser's program, where it isn't found"] = None
    headless: Annotated[bool, "False shows the browser's window"] = True
    platform: Annotated[
        str, "webgpu, webnn or wasm; auto takes the fastest by measurement, no software adapter"
    ] = "auto"
    require_hardware: Annotated[bool, "refuses whatever runs on no GPU or NPU"] = False
    allow_fallback: Annotated[
        tuple[str, ...], "platforms that may stand in for the one named; by default none"
    ] = ()
    max_connections: Annotated[int, "how many browsers may run at once, started on demand"] = 1
    threads: Annotated[
        int | None, "WASM threads of each browser; by default the cores, shared among browsers"
    ] = None
    websocket_port: Annotated[
        int | None, "the port on loopback; 0 takes any free one; by default the first from 8765"
    ] = None
    cache_dir: Annotated[
        str | Path | None, "models and browser profiles; by default ~/.cache/ipfs-accelerate"
    ] = None
    share: Annotated[bool, "models that are equal in parts hold these once"] = True
    remember: Annotated[bool, "equal inputs are not computed twice"] = True
    remember_mb: Annotated[int, "how much of what was computed each worker, and Python, keeps"] = 64
    startup_timeout_s: Annotated[float, "how long a browser may take to dial back"] = 60.0
    load_timeout_s: Annotated[float, "how long loading a model may take"] = 300.0
    inference_timeout_s: Annotated[float, "how long one run may take on its worker"] = 120.0

    @classmethod
    def of(cls, **options: Any) -> Config:
        """The options given, checked; an unknown one is an error that names the nearest."""
        names = [known.name for known in dataclasses.fields(cls)]
        for name in options:
            if name not in names:
                raise _unknown(name, names)
        config = cls(**options)
        config._check()
        return dataclasses.replace(config, allow_fallback=tuple(config.allow_fallback))

    def _check(self) -> None:
        _one_of("browser", self.browser, (*BROWSERS, None))
        _one_of("platform", self.platform, PLATFORMS)
        _boolean("headless", self.headless)
        for name in ("require_hardware", "share", "remember"):
            _boolean(name, getattr(self, name))
        check_fallback(self.allow_fallback)
        _whole("max_connections", self.max_connections, 1, 64)
        _whole("remember_mb", self.remember_mb, 0, MOST_AT_ONCE)
        if self.threads is not None:
            _whole("threads", self.threads, 1, 64)
        if self.websocket_port is not None:
            _whole("websocket_port", self.websocket_port, 0, 65535)
        for name in ("startup_timeout_s", "load_timeout_s", "inference_timeout_s"):
            _positive(name, getattr(self, name))
        for name in ("browser_path", "cache_dir"):
            _path(name, getattr(self, name))

    @property
    def folder(self) -> Path:
        """The cache folder in use."""
        return Path(self.cache_dir).expanduser() if self.cache_dir else cache_dir()

    @property
    def remember_bytes(self) -> int:
        """How much of what was computed is kept, in each place."""
        return self.remember_mb * 1_000_000

    @property
    def worker_threads(self) -> int:
        """The WASM threads that each browser gets."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return self.threads or max(1, (cores or 1) // self.max_connections)


@dataclass(frozen=True, slots=True)
class Wish:
    """Where a call may run."""

    platform: str = "auto"
    require_hardware: bool = False
    allow_fallback: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """The platforms in the order wished; empty for `auto`, which takes the fastest."""
        if self.platform == "auto":
            return ()
        return tuple(dict.fromkeys((self.platform, *self.allow_fallback)))

    def falls_back(self, platform: str) -> bool:
        """Whether operators that this platform lacks may run on the CPU, by WASM."""
        return platform != "wasm" and "wasm" in self.allow_fallback

    @classmethod
    def of(cls, config: Config, options: dict[str, Any]) -> Wish:
        """The accelerator's own, with what this call says in its place, checked."""
        names = [known.name for known in dataclasses.fields(cls)]
        for name in options:
            if name not in names:
                raise _unknown(name, names)
        given = {name: value for name, value in options.items() if value is not None}
        if not given:
            return cls(config.platform, config.require_hardware, config.allow_fallback)
        _one_of("platform", given.get("platform"), (*PLATFORMS, None))
        _boolean("require_hardware", given.get("require_hardware", False))
        fallback = check_fallback(given.get("allow_fallback", config.allow_fallback))
        return cls(
            given.get("platform", config.platform),
            given.get("require_hardware", config.require_hardware),
            fallback,
        )


def check_batch_size(size: object) -> None:
    """An error where so many requests can't be under way at once."""
    if size is not None:
        _whole("batch_size", size, 1, MOST_AT_ONCE)


def check_remember(remember: object, config: Config) -> bool:
    """Whether this call may be remembered: as it says, else as its accelerator does."""
    if remember is None:
        return config.remember
    _boolean("remember", remember)
    return remember is True


def check_names(option: str, names: object) -> tuple[str, ...]:
    """Names as a tuple; an error for one text, which would be taken letter by letter."""
    if isinstance(names, list | tuple | set) and all(isinstance(one, str) for one in names):
        return tuple(names)
    raise ConfigError(f"{option}={names!r} does not fit.", hint="It is a list of names.")


def check_progress(function: object) -> None:
    """An error where this can't be told how far a load is."""
    if function is not None and not callable(function):
        raise ConfigError(
            f"on_progress={function!r} does not fit.",
            hint="It is a function of a stage, how much is done, and of how much.",
        )


def check_fallback(platforms: object) -> tuple[str, ...]:
    """The platforms that may stand in, as a tuple; an error where one of them is none."""
    if isinstance(platforms, str) or not isinstance(platforms, list | tuple):
        raise ConfigError(
            f"allow_fallback={platforms!r} does not fit.", hint="It is a list such as ['wasm']."
        )
    for one in platforms:
        _one_of("allow_fallback", one, PLATFORMS[1:])
    return tuple(platforms)


def _unknown(name: str, names: list[str]) -> ConfigError:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]!r}?" if near else f"The options are {', '.join(names)}."
    return ConfigError(f"There is no option {name!r}.", code="unknown_option", hint=hint)


def _one_of(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        known = [str(one) for one in allowed if one is not None]
        near = difflib.get_close_matches(str(value), known, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"It can be {', '.join(known)}."
        raise ConfigError(f"{name}={value!r} is not there.", hint=hint)


def _boolean(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise ConfigError(f"{name}={value!r} does not fit.", hint="It is True or False.")


def _whole(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        hint = f"It is a whole number from {least} to {most}."
        raise ConfigError(f"{name}={value!r} does not fit.", hint=hint)


def _positive(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise ConfigError(
            f"{name}={value!r} does not fit.", hint="It is a number of seconds above 0."
        )


def _path(name: str, value: object) -> None:
    if value is not None and not isinstance(value, str | Path):
        raise ConfigError(f"{name}={value!r} does not fit.", hint="It is a path.")
