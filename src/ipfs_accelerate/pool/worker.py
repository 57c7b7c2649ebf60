"""One worker: a browser, the two channels of its page, and the models that its engine holds."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import AccelerateError, TransportError
from ipfs_accelerate.pool.line import Line
from ipfs_accelerate.protocol.messages import Block, Load, Ping, Restart, Unload, Weight

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.browsers import Browser
    from ipfs_accelerate.models import Manifest
    from ipfs_accelerate.pool.needs import Needed, OnProgress
    from ipfs_accelerate.pool.platforms import Ability
    from ipfs_accelerate.protocol.messages import Request
    from ipfs_accelerate.protocol.tensor import Tensor
    from ipfs_accelerate.server import Answer, Channel

PAGE_S = 5.0
"""How long a page may take to answer: it computes nothing itself."""


@dataclass(slots=True)
class Loaded:
    """A model on a worker: what its engine said, and how long the host waited for it."""

    key: str
    """what the engine calls it"""
    ability: Ability
    value: dict[str, Any]
    load_s: float
    counted: bool = False
    """whether the statistics have it"""


@dataclass(slots=True, eq=False)
class Worker:
    """What belongs to one browser. The pool fills it in as the parts dial back."""

    number: int
    browser: Browser | None = None
    page: Channel | None = None
    engine: Channel | None = None
    models: dict[str, Loaded] = field(default_factory=dict)
    """by the engine's keys; one model may be there on several platforms"""
    restarting: bool = False
    line: Line = field(default_factory=Line)
    engine_came: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    _loading: dict[str, asyncio.Task[Loaded]] = field(default_factory=dict)
    _patient: Counter[str] = field(default_factory=Counter)

    @property
    def browser_name(self) -> str:
        """chrome, chromium or edge; empty while it is starting."""
        return self.browser.installed.name if self.browser else ""

    async def load(self, needed: Needed, ability: Ability) -> Loaded:
        """The model on this platform, loaded now or before, and checked before it serves.

        Callers that come together wait for one load.
        """
        key = key_of(needed.model, ability)
        if (loaded := self.models.get(key)) is not None:
            return loaded
        task = self._loading.get(key)
        if task is None:
            task = asyncio.ensure_future(self._load(key, needed, ability))
            self._loading[key] = task
            task.add_done_callback(lambda done: self._loaded(key, done))
        # Shielded: one caller who gives up must not end it for the others; the last one does.
        self._patient[key] += 1
        try:
            return await asyncio.shield(task)
        finally:
            self._patient[key] -= 1
            if not self._patient[key] and not task.done():
                task.cancel()

    async def ask(
        self,
        message: Request,
        tensors: Mapping[str, Tensor] | None = None,
        on_progress: OnProgress | None = None,
    ) -> Answer:
        """Ask the engine."""
        if self.engine is None:
            raise TransportError(f"The engine of worker {self.number} has not come yet.")
        return await self.engine.request(message, tensors, on_progress)

    async def ping(self) -> float:
        """One empty round trip to the engine, in milliseconds."""
        started = perf_counter()
        await self.ask(Ping())
        return (perf_counter() - started) * 1000

    async def unload(self, model: Manifest) -> None:
        """Have the engine forget a model, on every platform that it has it on."""
        for key in [key for key in self.models if key.startswith(model.key)]:
            del self.models[key]
            await self.ask(Unload(model=key))

    async def _load(self, key: str, needed: Needed, ability: Ability) -> Loaded:
        model = needed.model
        message = Load(
            model=key,
            platform=ability.platform,
            fallback=False,
            dimensions={},
            graph=Block(model.graph.cid, model.graph.size),
            weights=tuple(Weight(one.path, one.cid, one.size) for one in model.weights),
        )
        started = perf_counter()
        answer = await self.ask(message, on_progress=needed.on_progress)
        loaded = Loaded(key, ability, dict(answer.value), perf_counter() - started)
        if needed.check is not None:
            try:
                await needed.check(self, loaded)
            except AccelerateError:
                await self.ask(Unload(model=key))
                raise
        return loaded

    def _loaded(self, key: str, task: asyncio.Task[Loaded]) -> None:
        self._loading.pop(key, None)
        if not task.cancelled() and task.exception() is None:
            self.models[key] = task.result()

    async def stuck(self) -> bool:
        """Whether its engine is in a run that was given up; the page says it, which must live."""
        if self.page is None or self.engine is None:
            return False
        async with asyncio.timeout(PAGE_S):
            await self.page.request(Ping())
        beat = self.page.beat
        return beat is not None and self.engine.gave_up(beat.request)

    async def restart_engine(self, reason: str) -> None:
        """Have the page replace its engine; the fresh one dials in by itself."""
        if self.restarting or self.page is None:
            return
        self.restarting = True
        async with asyncio.timeout(PAGE_S):
            await self.page.request(Restart(reason=reason, runtime="plain"))

    def attach(self, channel: Channel) -> None:
        """An engine said hello. It is empty."""
        self.engine = channel
        self.engine_came.set()
        self.restarting = False
        self.models.clear()

    async def close(self) -> None:
        """End the browser."""
        self.ended.set()
        for channel in (self.engine, self.page):
            if channel is not None:
                await channel.close("the pool has ended this worker")
        if self.browser is not None:
            await self.browser.close()


def key_of(model: Manifest, ability: Ability) -> str:
    """What an engine calls a model on a platform."""
    return f"{model.key} {ability.platform}"
