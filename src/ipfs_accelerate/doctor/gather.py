"""Gathers all the facts: this machine's, and with browsers that are started those of each."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ipfs_accelerate.browsers.sandbox import sandbox_possible
from ipfs_accelerate.doctor import known, network, signs, storage, system
from ipfs_accelerate.doctor.climb import climb, seen
from ipfs_accelerate.doctor.facts import Facts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from ipfs_accelerate.doctor.climb import Found, Measure, Way


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What is to be looked at, and by what."""

    found: Sequence[Found]
    names: Collection[str]
    """the browsers that are told as missing where they are not among those found"""
    folder: Path
    ways: Callable[[Found], Sequence[Way]]
    measure: Measure | None = None
    """None starts no browser"""
    trouble: str = ""


async def gather(examined: Examined, starting: Callable[[Found, Way], None]) -> Facts:
    """Look at everything; `starting` is told of each start of a browser."""
    found, measure = examined.found, examined.measure
    if measure is None:
        browsers = [seen(one) for one in found]
    else:
        browsers = [await climb(one, examined.ways(one), measure, starting) for one in found]
    return Facts(
        system=system.system(),
        signs=signs.signs(),
        network=network.network(os.environ),
        cache=storage.cache(examined.folder),
        sandbox=sandbox_possible(),
        models=storage.models(),
        browsers=tuple(browsers),
        missing=known.missing(examined.names, {one.name for one in found}, sys.platform),
        measured=measure is not None,
        trouble=examined.trouble,
    )
