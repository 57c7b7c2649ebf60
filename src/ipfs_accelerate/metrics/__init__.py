"""What was measured, kept in memory and added up."""

from ipfs_accelerate.metrics.statistics import Statistics

__all__ = ["Statistics"]
