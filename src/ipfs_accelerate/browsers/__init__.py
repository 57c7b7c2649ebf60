"""Finds, starts, watches and ends browsers; nothing here knows what their page does."""

from ipfs_accelerate.browsers.find import find_browser, installed_browsers
from ipfs_accelerate.browsers.installed import Installed
from ipfs_accelerate.browsers.ladder import Rung, has_display, rungs
from ipfs_accelerate.browsers.memory import pss_mb
from ipfs_accelerate.browsers.process import Browser, launch

__all__ = [
    "Browser",
    "Installed",
    "Rung",
    "find_browser",
    "has_display",
    "installed_browsers",
    "launch",
    "pss_mb",
    "rungs",
]
