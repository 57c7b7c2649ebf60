"""Scenarios: what is done to one session, and what must come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.vectors import bad_bytes, cancels, channel_life, long_payloads, requests

if TYPE_CHECKING:
    from tools.vectors.packing import Json


def scenarios() -> list[Json]:
    """Give every scenario."""
    parts = (channel_life, requests, cancels, long_payloads, bad_bytes)
    return [scenario for part in parts for scenario in part.scenarios()]
