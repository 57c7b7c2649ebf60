"""Finds, starts, watches and ends browsers; nothing here knows what their page does."""

from ipfs_accelerate.browsers.find import Installed, find_browser, installed_browsers
from ipfs_accelerate.browsers.memory import pss_mb
from ipfs_accelerate.browsers.process import Browser, launch

__all__ = ["Browser", "Installed", "find_browser", "installed_browsers", "launch", "pss_mb"]
