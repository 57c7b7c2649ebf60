"""IPFS_ACCELERATE_DEBUG=wire: one line for each frame sent and received. Tokens never pass here."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ipfs_accelerate.protocol.codec import Frame, frame_size
from ipfs_accelerate.protocol.messages import type_name

Trace = Callable[[str, Frame], None]


def wire_trace(label: str) -> Trace | None:
    """The printer of a channel's frames, or None where nobody asked."""
    if "wire" not in os.environ.get("IPFS_ACCELERATE_DEBUG", "").split(","):
        return None

    def trace(direction: str, frame: Frame) -> None:
        sys.stderr.write(f"{direction} {label} {describe(frame)}\n")

    return trace


def describe(frame: Frame) -> str:
    """A frame in one line: its type and id, its tensors, its size."""
    message = frame.message
    words = [type_name(message)]
    number = getattr(message, "id", None) or getattr(message, "stream", None)
    if number:
        words.append(f"#{number}")
    for name, tensor in frame.tensors.items():
        words.append(f"{name}:{tensor.dtype}{list(tensor.shape)}")
    words.append(f"{frame_size(frame)} B")
    return " ".join(words)
