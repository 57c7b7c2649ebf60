"""CIDs of raw blocks: version 1, raw codec, sha2-256, base32 in lower case (`bafkrei...`).

Pure. It is the only kind that the host makes or takes, so a CID is also a safe file name.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

from ipfs_accelerate.errors import ModelError

_PREFIX = bytes([1, 0x55, 0x12, 32])  # CIDv1, raw, sha2-256, 32 bytes of digest
_LENGTH = 59
_PADDING = "=" * 6


def cid_of(data: bytes | bytearray | memoryview) -> str:
    """Name a raw block by its CID."""
    return from_digest(hashlib.sha256(data).digest())


def from_digest(digest: bytes) -> str:
    """Name the block with this sha2-256 digest."""
    return "b" + base64.b32encode(_PREFIX + digest).decode("ascii").rstrip("=").lower()


def digest_of(cid: str) -> bytes:
    """Take the sha2-256 digest out of a CID; whatever is not such a CID is refused."""
    if len(cid) != _LENGTH or cid[0] != "b" or cid != cid.lower():
        raise _refusal(cid)
    try:
        raw = base64.b32decode(cid[1:].upper() + _PADDING)
    except (binascii.Error, ValueError):
        raise _refusal(cid) from None
    digest = raw[len(_PREFIX) :]
    # Base32 leaves two unused bits at the end: only one spelling of a CID is taken.
    if from_digest(digest) != cid:
        raise _refusal(cid)
    return digest


def verify(cid: str, data: bytes | bytearray | memoryview) -> None:
    """Raise unless `data` is the block that `cid` names."""
    if hashlib.sha256(data).digest() != digest_of(cid):
        raise ModelError(
            f"The bytes given for block {cid} are not that block: their CID is {cid_of(data)}.",
            code="block_unavailable",
            hint="Fetch or build the block again.",
            details={"cid": cid},
        )


def _refusal(text: str) -> ModelError:
    return ModelError(
        f"{text[:80]!r} is not the CID of a raw block.",
        code="block_unavailable",
        hint="Give a CIDv1 of a raw block with sha2-256 in base32; it begins with 'bafkrei'.",
        details={"cid": text[:80]},
    )
