"""What a model is: blocks named by CID, a manifest over them, and what prepares its inputs.

`ipfs_accelerate.models.text` and `.inputs` are imported by name, since they load NumPy.
"""

from __future__ import annotations

from ipfs_accelerate.models.blocks import BlockStore
from ipfs_accelerate.models.catalog import DEFAULT
from ipfs_accelerate.models.cid import cid_of, verify
from ipfs_accelerate.models.manifest import Block, Manifest, Port, Weight
from ipfs_accelerate.models.source import resolve

__all__ = [
    "DEFAULT",
    "Block",
    "BlockStore",
    "Manifest",
    "Port",
    "Weight",
    "cid_of",
    "resolve",
    "verify",
]
