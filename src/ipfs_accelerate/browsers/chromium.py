"""How Chromium and its kin are told to start: a command line, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ipfs_accelerate.browsers.start import Start

_FEATURES = "--enable-features="

_ALWAYS = (
    # Held open and never spoken to: the browser ends when the other end of it is closed.
    "--remote-debugging-pipe",
    # WebGPU on Linux, and on a software adapter, which the page tells from a real one; WebNN.
    "--enable-unsafe-webgpu",
    f"{_FEATURES}WebMachineLearningNeuralNetwork",
    # A page that nobody looks at still has work to do.
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    # It talks to nobody but its page.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-quic",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-pings",
    # It asks nothing, and brings nothing of its own.
    "--disable-breakpad",
    "--disable-default-apps",
    "--disable-extensions",
    "--hide-crash-restore-bubble",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--password-store=basic",
    "--use-mock-keychain",
)


def command(start: Start) -> list[str]:
    """Give the program and its arguments. Every local user can read them: they hold no secret."""
    if start.installed.name == "portable" and not start.headless:
        raise ConfigError(
            "The portable browser has no window to show.",
            hint="Leave `headless` as it is, or take another browser.",
        )
    return [
        str(start.installed.path),
        *(["--headless"] if start.headless else []),
        *([] if start.sandbox else ["--no-sandbox"]),
        *merged((*_ALWAYS, *start.flags)),
        f"--user-data-dir={start.profile}",
        start.start_file.as_uri(),
    ]


def merged(flags: Iterable[str]) -> list[str]:
    """Each flag once, and one list of features: of several, Chromium heeds the last alone."""
    features: dict[str, None] = {}
    kept: dict[str, None] = {}
    for flag in flags:
        if flag.startswith(_FEATURES):
            features |= dict.fromkeys(flag.removeprefix(_FEATURES).split(","))
        else:
            kept[flag] = None
    return [*kept, *([_FEATURES + ",".join(features)] if features else [])]


def prepare(_start: Start) -> None:
    """Its profile is ready as it is: everything is said on the command line."""


def environment(start: Start) -> dict[str, str]:
    """Nothing, but for a portable browser that has brought the libraries missing here."""
    libraries = start.installed.path.parent / "lib"
    if start.installed.name == "portable" and libraries.is_dir():
        return {"LD_LIBRARY_PATH": str(libraries)}
    return {}
