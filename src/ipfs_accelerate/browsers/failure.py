"""Says why a browser did not start, from how it ended and what it printed."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import BrowserError

if TYPE_CHECKING:
    from ipfs_accelerate.browsers.installed import Installed

# What Chromium prints, and what a person can do about it.
_HINTS = (
    (
        "No usable sandbox",
        (
            "This system does not let the browser make its sandbox: allow user namespaces"
            " (`sysctl kernel.apparmor_restrict_unprivileged_userns=0`), or use Google Chrome's own"
            " package, which brings a rule for it."
        ),
    ),
    (
        "without --no-sandbox is not supported",
        "Its sandbox does not work for root: run as another user.",
    ),
    (
        "Missing X server",
        "There is no display to show its window on: use headless=True, or set DISPLAY.",
    ),
    (
        "no DISPLAY environment variable",
        "There is no display to show its window on: use headless=True, or set DISPLAY.",
    ),
    (
        "error while loading shared libraries",
        (
            "A library is missing: install the browser from a package, which brings its libraries,"
            " or for the portable one `apt-get install libnss3 libnspr4 libexpat1`."
        ),
    ),
    ("No space left on device", "Free some space, or set `cache_dir` to a folder on another disk."),
)
_ANY = "Try the program by hand, name another in `browser_path`, or delete the profile {profile}."
_SHOWN_LINES = 12


def ended_early(
    installed: Installed, returncode: int, log_tail: str, profile: object
) -> BrowserError:
    """Make the error for a browser that ended before its page was there."""
    return BrowserError(
        f"The browser {installed.path} ended while starting, {how(returncode)}."
        f" {_quoted(log_tail)}",
        code="browser_failed",
        hint=_hint(log_tail, profile),
        details={"returncode": returncode, "log": log_tail},
    )


def never_dialled(
    installed: Installed, timeout_s: float, log_tail: str, profile: object
) -> BrowserError:
    """Make the error for a browser that runs, but whose page never came."""
    return BrowserError(
        f"The browser {installed.path} runs, but its page did not dial back within"
        f" {timeout_s:g} s. {_quoted(log_tail)}",
        code="browser_timeout",
        hint=f"Raise `startup_timeout_s` on a busy machine. {_hint(log_tail, profile)}",
        details={"timeout_s": timeout_s, "log": log_tail},
    )


def not_started(installed: Installed, error: OSError) -> BrowserError:
    """Make the error for a program that the system would not run at all."""
    return BrowserError(
        f"The browser {installed.path} could not be started: {error.strerror}.",
        code="browser_failed",
        hint="Name another in `browser_path`, or install it again.",
    )


def how(returncode: int) -> str:
    """How a process ended, in words: an exit code, or the signal that ended it."""
    if returncode >= 0:
        return f"with exit code {returncode}"
    try:
        return f"by signal {signal.Signals(-returncode).name}"
    except ValueError:
        return f"by signal {-returncode}"


def _quoted(log_tail: str) -> str:
    lines = log_tail.splitlines()[-_SHOWN_LINES:]
    return "It printed:\n" + "\n".join(f"    {line}" for line in lines) + "\n" if lines else ""


def _hint(log_tail: str, profile: object) -> str:
    for sign, hint in _HINTS:
        if sign in log_tail:
            return hint
    return _ANY.format(profile=profile)
