"""One worker: a browser, the two channels of its page, and the models that its engine holds."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import AccelerateError, TransportError
from ipfs_accelerate.pool.line import Line
from ipfs_accelerate.pool.platforms import Ability, abilities_of
from ipfs_accelerate.protocol.messages import Block, Load, Ping, Probe, Restart, Unload, Weight

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ipfs_accelerate.browsers import Browser
    from ipfs_accelerate.config import Wish
    from ipfs_accelerate.models import Manifest
    from ipfs_accelerate.pool.needs import Dimensions, Needed, OnProgress
    from ipfs_accelerate.protocol.messages import Request
    from ipfs_accelerate.protocol.tensor import Tensor
    from ipfs_accelerate.server import Answer, Channel

MOST_SHAPES = 4
"""In how many shapes a worker holds one model, where a platform takes only fixed ones."""
PAGE_S = 5.0
"""How long a page may take to answer: it computes nothing itself."""


@dataclass(slots=True)
class Loaded:
    """A model on a worker: what its engine said, and how long the host waited for it."""

    key: str
    """what the engine calls it"""
    ability: Ability
    dimensions: Dimensions
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
    """by the engine's keys; one model may be there on several platforms, and in several shapes"""
    serving: dict[tuple[str, Wish], Ability] = field(default_factory=dict)
    """where a model serves, by its key and the wish: found once, then only looked up"""
    abilities: dict[str, Ability] = field(default_factory=dict)
    runtime: str = "undecided"
    """the build of onnxruntime-web that its engine uses"""
    restarting: bool = False
    line: Line = field(default_factory=Line)
    engine_came: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    _loading: dict[str, asyncio.Task[Loaded]] = field(default_factory=dict)
    _patient: Counter[str] = field(default_factory=Counter)
    _measured: set[str] = field(default_factory=set)
    _checked: set[tuple[str, str]] = field(default_factory=set)
    """models and platforms whose golden vector came out right"""

    @property
    def browser_name(self) -> str:
        """chrome, chromium or edge; empty while it is starting."""
        return self.browser.installed.name if self.browser else ""

    def held(self, needed: Needed) -> Loaded | None:
        """The model where it serves already, as this request needs it."""
        ability = self.serving.get((needed.model.key, needed.wish))
        if ability is None:
            return None
        return self.models.get(key_of(needed.model, ability, needed.dimensions(ability.platform)))

    async def load(self, needed: Needed, ability: Ability) -> Loaded:
        """The model on this platform, loaded now or before, and checked before it serves.

        Callers that come together wait for one load.
        """
        dimensions = needed.dimensions(ability.platform)
        key = key_of(needed.model, ability, dimensions)
        if (loaded := self.models.get(key)) is not None:
            return loaded
        task = self._loading.get(key)
        if task is None:
            task = asyncio.ensure_future(self._load(key, needed, ability, dimensions))
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

    async def probe(self, platforms: Sequence[str], *, measure: bool) -> list[Ability]:
        """What these platforms can do here; asked once for each, measured once where wanted."""
        asked = [one for one in platforms if not self._knows(one, measured=measure)]
        if asked:
            answer = await self.ask(Probe(platforms=tuple(asked), measure=measure))
            for ability in abilities_of(answer.value):
                self.abilities[ability.platform] = ability
                if measure:
                    self._measured.add(ability.platform)
            if measure and "wasm" in asked and self.runtime == "undecided":
                self.runtime = "plain"  # measuring it took that build
        return [self.abilities[one] for one in platforms]

    def _knows(self, platform: str, *, measured: bool) -> bool:
        return platform in (self._measured if measured else self.abilities)

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
        """Have the engine forget a model, on every platform and in every shape that it has."""
        for choice in [one for one in self.serving if one[0] == model.key]:
            del self.serving[choice]
        for key in [key for key in self.models if key.startswith(model.key)]:
            await self._forget(key)

    async def _forget(self, key: str) -> None:
        del self.models[key]
        await self.ask(Unload(model=key))

    async def _load(
        self, key: str, needed: Needed, ability: Ability, dimensions: Dimensions
    ) -> Loaded:
        await self._make_room(needed.model, ability)
        model = needed.model
        message = Load(
            model=key,
            platform=ability.platform,
            fallback=needed.wish.falls_back(ability.platform),
            dimensions=dimensions,
            graph=Block(model.graph.cid, model.graph.size),
            weights=tuple(Weight(one.path, one.cid, one.size) for one in model.weights),
        )
        started = perf_counter()
        answer = await self.ask(message, on_progress=needed.on_progress)
        loaded = Loaded(key, ability, dimensions, dict(answer.value), perf_counter() - started)
        checked = (model.key, ability.platform)
        if needed.check is not None and checked not in self._checked:
            try:
                await needed.check(self, loaded)
            except AccelerateError:
                await self.ask(Unload(model=key))
                raise
            self._checked.add(checked)
        return loaded

    async def _make_room(self, model: Manifest, ability: Ability) -> None:
        """Of a model in many shapes, the one that was loaded first goes."""
        shapes = [key for key in self.models if key.startswith(f"{model.key} {ability.platform} ")]
        if len(shapes) >= MOST_SHAPES:
            await self._forget(shapes[0])

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

    async def restart_engine(self, reason: str, runtime: str = "") -> None:
        """Have the page replace its engine; the fresh one dials in by itself.

        It uses another build of onnxruntime-web where one is named.
        """
        if self.restarting or self.page is None:
            return
        self.restarting = True
        self.runtime = runtime or self.runtime
        async with asyncio.timeout(PAGE_S):
            await self.page.request(Restart(reason=reason, runtime=self.runtime))

    def attach(self, channel: Channel) -> None:
        """An engine said hello. It is empty."""
        self.engine = channel
        self.engine_came.set()
        self.restarting = False
        self.models.clear()
        self.serving.clear()
        self._checked.clear()

    async def close(self) -> None:
        """End the browser."""
        self.ended.set()
        for channel in (self.engine, self.page):
            if channel is not None:
                await channel.close("the pool has ended this worker")
        if self.browser is not None:
            await self.browser.close()


def key_of(model: Manifest, ability: Ability, dimensions: Dimensions) -> str:
    """What an engine calls a model on a platform, with the dimensions that are fixed there."""
    fixed = ",".join(f"{name}={size}" for name, size in dimensions.items())
    return f"{model.key} {ability.platform} {fixed}"
