"""Whether the browser can have its sandbox.

It is given up in two cases only: Chromium refuses to start as root with it, and in a container
that allows no user namespaces it can't be made. Elsewhere a browser that can't make its sandbox is
an error for a person to read, not a reason to run without one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))


def sandbox_possible() -> bool:
    """Say no for root on Linux, and in a container that can't make a user namespace."""
    if not sys.platform.startswith("linux"):
        return True
    if os.geteuid() == 0:
        return False
    return not _in_container() or _can_make_namespaces()


def _in_container() -> bool:
    return "container" in os.environ or any(mark.exists() for mark in _CONTAINER_MARKS)


def _can_make_namespaces() -> bool:
    """Found out by doing it: a container's own rules can't be read, only met."""
    try:
        done = subprocess.run(
            ["/usr/bin/unshare", "--user", "/bin/true"], capture_output=True, check=False
        )
    except OSError:
        return False
    return done.returncode == 0
