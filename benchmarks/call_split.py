"""Where the time of a call goes beside computing: its parts, timed from outside.

Public methods along the way are wrapped while this lasts; the product itself is not changed.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import wraps
from time import perf_counter
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.report import Figure, Group, Sample
from benchmarks.stopwatch import Stopwatch
from ipfs_accelerate import running
from ipfs_accelerate.calls import Composer
from ipfs_accelerate.models.text import TextProcessor
from ipfs_accelerate.protocol.session import Session
from ipfs_accelerate.server import Channel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from benchmarks.statistics import Target
    from ipfs_accelerate import AsyncAccelerator

WHOLE = "all of it"
BLOCKING: tuple[tuple[type | ModuleType, str], ...] = (
    (TextProcessor, "__call__"),
    (Composer, "call"),
    (running, "result_of"),
    (Session, "request"),
    (Session, "receive"),
)
AWAITED: tuple[tuple[type, str], ...] = ((Channel, "request"),)


async def split(accelerator: AsyncAccelerator, texts: Sequence[str], target: Target) -> Group:
    """Each part of the overhead of these calls, made one after another."""
    calls = [await _one(accelerator, text) for text in texts]
    return Group(
        "parts of the async overhead, calls in a row",
        [
            Figure(
                Sample(name, "ms", [call[name] for call in calls]),
                target if name == WHOLE else None,
            )
            for name in calls[0]
        ],
    )


async def _one(accelerator: AsyncAccelerator, text: str) -> dict[str, float]:
    watch = Stopwatch()
    with _watched(watch):
        started = perf_counter()
        result = await accelerator.embed(text)
        whole = (perf_counter() - started) * 1000
    spent = {name: sum(times) for name, times in watch.taken.items()}
    figures = result.performance_metrics
    engine, inference, queued = (
        figures[name] for name in ("engine_ms", "inference_ms", "queued_ms")
    )
    session = spent["Session.request"] + spent["Session.receive"]
    composing, reading = spent["Composer.call"], spent[f"{running.__name__}.result_of"]
    return {
        "tokens": spent["TextProcessor.__call__"],
        "compose the request": composing - spent["TextProcessor.__call__"],
        "client and pool": whole - composing - reading - spent["Channel.request"],
        "session and codec, here": session,
        "sockets and wire both ways, the page's codec": (
            spent["Channel.request"] - session - engine - queued
        ),
        "queue in the engine": queued,
        "engine beside the run": engine - inference,
        "result": reading,
        WHOLE: whole - inference,
    }


@contextmanager
def _watched(watch: Stopwatch) -> Iterator[None]:
    with ExitStack() as stack:
        for owner, name in BLOCKING:
            stack.enter_context(patch.object(owner, name, _blocking(owner, name, watch)))
        for owner, name in AWAITED:
            stack.enter_context(patch.object(owner, name, _awaited(owner, name, watch)))
        yield


def _blocking(owner: type | ModuleType, name: str, watch: Stopwatch) -> Any:
    method = getattr(owner, name)

    @wraps(method)
    def timed(*args: Any, **kwargs: Any) -> Any:
        with watch.of(f"{owner.__name__}.{name}"):
            return method(*args, **kwargs)

    return timed


def _awaited(owner: type, name: str, watch: Stopwatch) -> Any:
    method = getattr(owner, name)

    @wraps(method)
    async def timed(*args: Any, **kwargs: Any) -> Any:
        with watch.of(f"{owner.__name__}.{name}"):
            return await method(*args, **kwargs)

    return timed
