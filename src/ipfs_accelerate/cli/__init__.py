"""The `ipfs-accelerate` command."""

from ipfs_accelerate.cli.main import main

__all__ = ["main"]
