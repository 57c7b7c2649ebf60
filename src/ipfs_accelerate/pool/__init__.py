"""Browsers kept warm, and which of them serves a request: pure decisions, and the shell on them."""

from ipfs_accelerate.pool.loaded import Loaded
from ipfs_accelerate.pool.needs import Needed
from ipfs_accelerate.pool.pool import Pool
from ipfs_accelerate.pool.worker import Worker

__all__ = ["Loaded", "Needed", "Pool", "Worker"]
