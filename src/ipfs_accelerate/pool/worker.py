"""One worker: a browser, the two channels of its page, and the models that its engine holds."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from ipfs_accelerate.errors import TransportError
from ipfs_accelerate.pool.library import Library
from ipfs_accelerate.pool.line import Line
from ipfs_accelerate.pool.platforms import Ability, abilities_of
from ipfs_accelerate.protocol.messages import Ping, Probe, Restart, Tally

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ipfs_accelerate.browsers import Browser
    from ipfs_accelerate.config import Wish
    from ipfs_accelerate.models import Manifest
    from ipfs_accelerate.pool.library import Arrange
    from ipfs_accelerate.pool.loaded import Loaded
    from ipfs_accelerate.pool.needs import Needed, OnProgress
    from ipfs_accelerate.protocol.messages import Request
    from ipfs_accelerate.protocol.tensor import Tensor
    from ipfs_accelerate.server import Answer, Channel

Within: TypeAlias = "Callable[[Worker, Awaitable[Answer]], Awaitable[Answer]]"

PAGE_S = 5.0
"""How long a page may take to answer: it computes nothing itself."""


@dataclass(slots=True, eq=False)
class Worker:
    """What belongs to one browser. The pool fills it in as the parts dial back."""

    number: int
    arrange: Arrange | None = None
    """how its models are laid out together; None where they do not share"""
    remember_bytes: int = 0
    """how much of what they computed is kept"""
    within: Within | None = None
    """times what is asked in the engine's line, and says what it means where that ends"""
    browser: Browser | None = None
    page: Channel | None = None
    engine: Channel | None = None
    serving: dict[tuple[str, Wish], Ability] = field(default_factory=dict)
    """where a model serves, by its key and the wish: found once, then only looked up"""
    abilities: dict[str, Ability] = field(default_factory=dict)
    runtime: str = "undecided"
    """the build of onnxruntime-web that its engine uses"""
    restarting: bool = False
    line: Line = field(default_factory=Line)
    engine_came: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    _measured: set[str] = field(default_factory=set)
    _checked: set[tuple[str, str, tuple[str, ...]]] = field(default_factory=set)
    """models, platforms and components whose golden vector came out right"""
    library: Library = field(init=False)
    """its models"""

    def __post_init__(self) -> None:
        self.library = Library(self.in_line, self.arrange, self.remember_bytes)

    @property
    def browser_name(self) -> str:
        """chrome, chromium or edge; empty while it is starting."""
        return self.browser.installed.name if self.browser else ""

    def held(self, needed: Needed) -> Loaded | None:
        """The model where it serves already, as this request needs it."""
        ability = self.serving.get((needed.model.key, needed.wish))
        if ability is None:
            return None
        return self.library.find(needed.model, ability, needed.dimensions(ability.platform))

    async def load(self, needed: Needed, ability: Ability) -> Loaded:
        """The model on this platform, loaded now or before, and checked before it serves."""
        return await self.library.load(needed, ability, self._check)

    async def tally(self) -> Mapping[str, int]:
        """What the engine holds, by its own counters."""
        answer = await self.ask(Tally())
        return answer.value

    async def _check(self, loaded: Loaded) -> None:
        """An error where it computes wrongly as it is laid out now."""
        checked = (loaded.needed.model.key, loaded.ability.platform, loaded.layout.keys)
        if loaded.needed.check is None or checked in self._checked:
            return
        await loaded.needed.check(self, loaded)
        self._checked.add(checked)

    async def probe(self, platforms: Sequence[str], *, measure: bool) -> list[Ability]:
        """What these platforms can do here; asked once for each, measured once where wanted."""
        asked = [one for one in platforms if not self._knows(one, measured=measure)]
        if asked:
            answer = await self.in_line(Probe(platforms=tuple(asked), measure=measure))
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

    async def in_line(
        self,
        message: Request,
        tensors: Mapping[str, Tensor] | None = None,
        on_progress: OnProgress | None = None,
    ) -> Answer:
        """Ask the engine, and stand in its line from when that is sent.

        Whoever waits for something else first must not stand there meanwhile: the engine takes
        what was sent before, which nobody would then time.
        """
        asked = self.ask(message, tensors, on_progress)
        return await (asked if self.within is None else self.within(self, asked))

    async def ping(self) -> float:
        """One empty round trip to the engine, in milliseconds."""
        started = perf_counter()
        await self.ask(Ping())
        return (perf_counter() - started) * 1000

    async def unload(self, model: Manifest) -> None:
        """Have the engine forget a model, on every platform and in every shape that it has."""
        for choice in [one for one in self.serving if one[0] == model.key]:
            del self.serving[choice]
        await self.library.unload(model)

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
        self.library.clear()
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
