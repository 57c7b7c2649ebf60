"""Draws how models are made of parts, as SVG. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ipfs_accelerate.graph.parts import Partition


def picture(partition: Partition) -> str:
    """Draw the parts as boxes, the shared ones coloured and once, with arrows between them."""
    raise NotImplementedError
