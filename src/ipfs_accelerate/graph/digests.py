"""Digests of tensors, values and nodes: sha2-256 over their parts, each with its length. Pure."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.refusal import invalid

if TYPE_CHECKING:
    from collections.abc import Iterable

ABSENT = ""
"""What stands for an optional input that is not given."""

INTEGERS = frozenset({"int32", "int64"})
"""The dtypes that choose rows alike."""

_PREFIX = bytes([1, 0x55, 0x12, 32])  # CIDv1, raw, sha2-256, 32 bytes of digest
_LENGTH = 59
_PADDING = "=" * 6


def digest_of(*parts: str | int | bytes) -> str:
    """Hash the parts, so that no two lists of parts run together."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogateescape")
        hasher.update(b"%d:" % len(data))
        hasher.update(data)
    return hasher.hexdigest()


def of_tensor(dtype: str, shape: Iterable[int], content: str) -> str:
    """The digest of a constant tensor, whose raw bytes have the CID `content`."""
    return digest_of("tensor", dtype, ",".join(map(str, shape)), content)


def of_strings(shape: Iterable[int], items: Iterable[bytes]) -> str:
    """The digest of a constant tensor of strings, which have no raw bytes."""
    return digest_of("strings", ",".join(map(str, shape)), *items)


def of_input(name: str, dtype: str) -> str:
    """The digest of a graph input."""
    return digest_of("input", name, dtype)


def of_index(name: str) -> str:
    """The digest of an integer input that chooses rows: the same in 32 and 64 bits."""
    return digest_of("integer input", name)


def of_value(node: str, place: int) -> str:
    """The digest of one output of the node with this digest."""
    return digest_of("value", node, place)


def cid_of(data: bytes | bytearray | memoryview) -> str:
    """Name raw bytes by their CID, as the store does."""
    return _cid(hashlib.sha256(data).digest())


def check_cid(text: str) -> str:
    """Give `text` back if it is the CID of a raw block; anything else is refused."""
    try:
        raw = base64.b32decode(text[1:].upper() + _PADDING)
    except (binascii.Error, ValueError, TypeError):
        raw = b""
    # Base32 leaves two unused bits at the end: only one spelling of a CID is taken.
    if len(text) != _LENGTH or _cid(raw[len(_PREFIX) :]) != text:
        raise invalid(
            f"a weight lies in {text[:80]!r}, which is not the CID of a block",
            hint="Load the model by its name or path, so that its weights become blocks.",
        )
    return text


def _cid(digest: bytes) -> str:
    return "b" + base64.b32encode(_PREFIX + digest).decode("ascii").rstrip("=").lower()
