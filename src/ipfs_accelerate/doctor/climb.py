"""Starts a browser in each of its ways, and has it measured."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from ipfs_accelerate.doctor.facts import Browser, Launch, Measured
from ipfs_accelerate.errors import AccelerateError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Found(Protocol):
    """A browser that is installed."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def path(self) -> Path:
        """Its program."""

    @property
    def version(self) -> str:
        """Its version; empty where it does not tell."""


class Way(Protocol):
    """One way to start a browser."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def flags(self) -> tuple[str, ...]:
        """What it adds to the command line."""

    @property
    def headless(self) -> bool:
        """Whether no window is shown."""

    @property
    def about(self) -> str:
        """What it is, for a person."""


class Able(Protocol):
    """What a platform was measured as."""

    @property
    def platform(self) -> str:
        """Which one."""

    @property
    def device(self) -> str:
        """What it runs on, or `none`."""

    @property
    def about(self) -> str:
        """The adapter's own words, or why it is not there."""

    @property
    def f16(self) -> bool:
        """Whether it computes with 16-bit floats."""

    @property
    def gflops(self) -> float:
        """The speed of a small matmul."""

    @property
    def copy_mb_s(self) -> float:
        """The speed of a copy back."""

    @property
    def details(self) -> Mapping[str, Any]:
        """What else the browser told."""


ENOUGH_S = 45.0
"""How long one launch may take. Some hang: with flags that suit no driver here, Chromium may block
its page at the first request for an adapter, so that no clock in that page can end it."""

Measure = Callable[[Any, Any], Awaitable[Sequence[Able]]]
"""Starts this browser in this way, and gives what each of its platforms was measured as."""


async def climb(
    found: Found,
    ways: Sequence[Way],
    measure: Measure,
    starting: Callable[[Found, Way], None],
    limit_s: float = ENOUGH_S,
) -> Browser:
    """Measure the browser in each of these ways, one after the other; none of them is skipped."""
    launches = []
    for way in ways:
        starting(found, way)
        launches.append(await _tried(found, way, measure, limit_s))
    return seen(found, launches)


def seen(found: Found, launches: Sequence[Launch] = ()) -> Browser:
    """A browser that was found, with what its launches led to."""
    return Browser(
        name=found.name, version=found.version, path=str(found.path), launches=tuple(launches)
    )


async def _tried(found: Found, way: Way, measure: Measure, limit_s: float) -> Launch:
    launch = Launch(rung=way.name, about=way.about, flags=way.flags, headless=way.headless)
    try:
        async with asyncio.timeout(limit_s):
            abilities = await measure(found, way)
    except AccelerateError as error:
        return replace(launch, error=str(error))
    except TimeoutError:
        return replace(launch, error=f"It did not answer in {limit_s:g} s, and was ended.")
    return replace(launch, abilities=tuple(map(_measured, abilities)))


def _measured(able: Able) -> Measured:
    return Measured(
        platform=able.platform,
        device=able.device,
        about=able.about,
        f16=able.f16,
        gflops=able.gflops,
        copy_mb_s=able.copy_mb_s,
        details=dict(able.details),
    )
