"""The models of one worker: laid out over components, which its engine loads once each."""

from __future__ import annotations

import asyncio
import contextlib
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from ipfs_accelerate.errors import AccelerateError
from ipfs_accelerate.models.components import whole
from ipfs_accelerate.models.shapes import FIXED
from ipfs_accelerate.pool.holding import Holding
from ipfs_accelerate.pool.loaded import (
    Loaded,
    allowed,
    can_take,
    engine_keys,
    name_of,
    shapes_of,
)
from ipfs_accelerate.pool.progress import Together
from ipfs_accelerate.pool.recall import Recall

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from ipfs_accelerate.models import Manifest
    from ipfs_accelerate.models.components import Component, Layout
    from ipfs_accelerate.pool.holding import Ask
    from ipfs_accelerate.pool.needs import Dimensions, Needed
    from ipfs_accelerate.pool.platforms import Ability

MOST_SHAPES = 4
"""In how many shapes a worker holds one model, where a platform takes only fixed ones."""

Arrange: TypeAlias = "Callable[[Mapping[str, Layout], Mapping[str, Manifest], Ability], Awaitable[dict[str, Layout]]]"  # noqa: E501 - a type
"""How models are laid out: those that are there, by their keys, and all of them with a new one."""
Check: TypeAlias = "Callable[[Loaded], Awaitable[None]]"


_NOTHING_OF_A_MODEL = frozenset({"connection_lost", "worker_lost", "timeout", "closed"})
"""What ends a load, and would have ended any."""
_CHECKING: ContextVar[bool] = ContextVar("checking", default=False)
"""Set in a check, which may load its model in another shape, and must not wait for itself."""


@dataclass(slots=True, eq=False)
class _Loading:
    """A load that is under way."""

    task: asyncio.Task[Loaded] | None = None
    patient: int = 0
    """how many wait for it"""
    urgent: asyncio.Event = field(default_factory=asyncio.Event)
    """set where a check waits for it, so that it must not wait for that"""


class Library:
    """Loads, lays out anew and unloads models on one engine; one change at a time."""

    def __init__(self, ask: Ask, arrange: Arrange | None, remember_bytes: int) -> None:
        """`arrange` is None where models are not to share."""
        self.models: dict[str, Loaded] = {}
        """one model may be there on several platforms, and in several shapes"""
        self.recall = Recall(ask, remember_bytes)
        self.holding = Holding(ask)
        self._arrange = arrange
        self._change = asyncio.Lock()
        self._loading: dict[str, _Loading] = {}
        self._uncut: set[str] = set()
        """models that did not do as components: keys of their manifests"""

    def find(self, model: Manifest, ability: Ability, dimensions: Dimensions) -> Loaded | None:
        """The model, where it serves as it is needed."""
        loaded = self.models.get(name_of(model, ability, dimensions))
        return loaded if loaded is not None and loaded.ready.is_set() else None

    async def load(self, needed: Needed, ability: Ability, check: Check) -> Loaded:
        """The model on this platform, loaded now or before, and checked before it serves.

        Callers that come together wait for one load.
        """
        dimensions = needed.dimensions(ability.platform)
        key = name_of(needed.model, ability, dimensions)
        while (loaded := self.models.get(key)) is not None and key not in self._loading:
            if loaded.ready.is_set() or _CHECKING.get():
                return allowed(loaded, needed)
            await loaded.ready.wait()  # it is being laid out anew, or given up
        loading, task = self._begun(key, needed, ability, check)
        if _CHECKING.get():
            loading.urgent.set()
        # Shielded: one caller who gives up must not end it for the others; the last one does.
        loading.patient += 1
        try:
            return allowed(await asyncio.shield(task), needed)
        finally:
            loading.patient -= 1
            if not loading.patient and not task.done():
                task.cancel()
                self._end(key, loading)  # whoever asks now must not be given up with it

    async def unload(self, model: Manifest) -> None:
        """Forget a model, on every platform and in every shape."""
        async with self._change:
            for loaded in [one for one in self.models.values() if one.needed.model == model]:
                await self._forget(loaded)

    def clear(self) -> None:
        """The engine has ended, and all that it held with it."""
        for loaded in self.models.values():
            loaded.gone = True
            loaded.ready.set()  # whoever waits looks again, and finds nothing
        self.models.clear()
        self.holding.clear()
        self.recall.clear()

    def _begun(
        self, key: str, needed: Needed, ability: Ability, check: Check
    ) -> tuple[_Loading, asyncio.Task[Loaded]]:
        """The load of this model that is under way, or that begins now."""
        loading = self._loading.setdefault(key, _Loading())
        if loading.task is None:
            work = self._load(key, needed, ability, check, loading.urgent)
            loading.task = asyncio.ensure_future(work)
            loading.task.add_done_callback(lambda _: self._end(key, loading))
        return loading, loading.task

    def _end(self, key: str, loading: _Loading) -> None:
        if self._loading.get(key) is loading:
            del self._loading[key]

    async def _load(
        self, key: str, needed: Needed, ability: Ability, check: Check, urgent: asyncio.Event
    ) -> Loaded:
        fresh, changed = await self._lay(key, needed, ability, urgent)
        try:
            for loaded in changed:
                await self._serve_again(loaded, check)
            await _run(check, fresh)
        except BaseException as error:
            unloaded = fresh.gone
            await self._give_up(fresh, *changed)
            if fresh.layout.is_file or unloaded or not _speaks_against(error):
                raise
            self._uncut.add(needed.model.key)
            return await self._load(key, needed, ability, check, urgent)  # it may do as a whole
        fresh.ready.set()
        return fresh

    async def _lay(
        self, key: str, needed: Needed, ability: Ability, urgent: asyncio.Event
    ) -> tuple[Loaded, list[Loaded]]:
        """Load it; what shares with it and was laid out anew for that, is to be checked too."""
        async with self._quiet(urgent):
            await self._make_room(needed.model, ability)
            started = perf_counter()
            dimensions = needed.dimensions(ability.platform)
            fresh = Loaded(key, needed, ability, dimensions, whole(needed.model))
            group, layouts = await self._planned(fresh)
            changed = [one for name, one in group.items() if layouts[name].keys != one.layout.keys]
            try:
                await self._carry_out(changed, fresh, layouts)
            except AccelerateError as error:
                if (layouts[key].is_file and not changed) or not _speaks_against(error):
                    raise
                self._uncut |= {one.needed.model.key for one in (*changed, fresh)}
                changed = []
                await self._carry_out(changed, fresh, {key: whole(needed.model)})
            fresh.load_s = perf_counter() - started
        return fresh, changed

    @contextlib.asynccontextmanager
    async def _quiet(self, urgent: asyncio.Event) -> AsyncIterator[None]:
        """One change at a time, and none while a model is checked, unless that waits for it."""
        while True:
            async with self._change:
                checked = [one for one in self.models.values() if not one.ready.is_set()]
                if not checked or urgent.is_set():
                    yield
                    return
            await _either(checked[0].ready, urgent)

    async def _serve_again(self, loaded: Loaded, check: Check) -> None:
        """One that computes wrongly as components goes, and is loaded whole when it is needed."""
        try:
            await _run(check, loaded)
        except BaseException as error:
            if _speaks_against(error) and not loaded.gone:
                self._uncut.add(loaded.needed.model.key)
            await self._give_up(loaded)
            if not isinstance(error, AccelerateError):
                raise
        loaded.ready.set()

    async def _give_up(self, *models: Loaded) -> None:
        """Unload those of them that were not found to be right."""
        async with self._change:
            for loaded in models:
                if not loaded.ready.is_set():
                    await self._forget(loaded)

    async def _planned(self, fresh: Loaded) -> tuple[dict[str, Loaded], dict[str, Layout]]:
        """What it may share with, and a layout for each: of the engine as it is after planning."""
        while True:
            group = {one.key: one for one in self.models.values() if self._together(one, fresh)}
            layouts = await self._layouts(group, fresh)
            if all(self.models.get(key) is one for key, one in group.items()):
                return group, layouts

    async def _layouts(self, group: Mapping[str, Loaded], fresh: Loaded) -> dict[str, Layout]:
        present = {key: one.layout for key, one in group.items()}
        unshared = {**present, fresh.key: fresh.layout}
        if not group or self._arrange is None:
            return unshared
        every = {**group, fresh.key: fresh}
        models = {key: one.needed.model for key, one in every.items()}
        found = await self._arrange(present, models, fresh.ability)
        known = all(can_take(every[key], layout) for key, layout in found.items())
        return found if known else unshared

    async def _carry_out(
        self, changed: list[Loaded], fresh: Loaded, layouts: Mapping[str, Layout]
    ) -> None:
        """Have the engine hold just what these layouts need; what goes goes first.

        Where that fails all of them are gone, and are loaded again when they are needed.
        """
        every = [*changed, fresh]
        try:
            for loaded in changed:
                loaded.ready.clear()
                await self._leave(loaded, engine_keys(loaded, layouts[loaded.key]))
            together = Together(fresh.needed.on_progress, self._missing(every, layouts))
            for loaded in every:
                await self._take(loaded, layouts[loaded.key], together)
        except BaseException:
            for loaded in every:
                await asyncio.shield(self._forget(loaded))
            raise
        self.models[fresh.key] = fresh

    def _missing(self, every: Sequence[Loaded], layouts: Mapping[str, Layout]) -> list[Component]:
        """The components that have to be loaded."""
        found: dict[str, Component] = {}
        for loaded in every:
            layout = layouts[loaded.key]
            for key, stage in zip(engine_keys(loaded, layout), layout.stages, strict=True):
                if key not in self.holding.held:
                    found[key] = stage.component
        return list(found.values())

    async def _take(self, loaded: Loaded, layout: Layout, together: Together) -> None:
        keys, held = engine_keys(loaded, layout), []
        # A component that the platform lacks something for is not worth the sharing: the model is
        # then loaded whole, where as little as can be runs on the CPU.
        fallback = layout.is_file and loaded.needed.wish.falls_back(loaded.ability.platform)
        for number, (key, stage) in enumerate(zip(keys, layout.stages, strict=True)):
            new = key not in self.holding.held
            held.append(
                await self.holding.take(
                    key,
                    stage.component,
                    loaded.key,
                    ability=loaded.ability,
                    fallback=fallback,
                    dimensions=layout.sizes(number, loaded.dimensions) or {},
                    on_progress=together.of(stage.component),
                )
            )
            if new:
                together.loaded(stage.component)
        loaded.layout, loaded.keys, loaded.held = layout, keys, tuple(held)

    async def _leave(self, loaded: Loaded, needed: Sequence[str]) -> None:
        """Give back its components but these, and what is remembered of those that go."""
        for key in [key for key in self.holding.of(loaded.key) if key not in needed]:
            if self.holding.is_last(key, loaded.key):
                # Before it: on a GPU a tensor that outlives the last session can't be freed.
                await self.recall.forget(key)
            await self.holding.give_back(key, loaded.key)

    async def _forget(self, loaded: Loaded) -> None:
        if self.models.get(loaded.key) is loaded:
            del self.models[loaded.key]
        loaded.gone = True
        loaded.ready.set()  # whoever waits looks again, and does not find it
        with contextlib.suppress(AccelerateError):  # an engine that has ended holds nothing
            await self._leave(loaded, ())

    async def _make_room(self, model: Manifest, ability: Ability) -> None:
        """Of a model in many shapes, the one that was loaded first goes."""
        shapes = [
            one
            for one in self.models.values()
            if one.needed.model.key == model.key and one.ability.platform == ability.platform
        ]
        idle = [one for one in shapes if one.ready.is_set()]
        if len(shapes) >= MOST_SHAPES and idle:
            await self._forget(idle[0])

    def _together(self, loaded: Loaded, fresh: Loaded) -> bool:
        """Whether the two may share: on one platform, and where it takes fixed shapes in one."""
        keys = {loaded.needed.model.key, fresh.needed.model.key}
        if loaded.ability.platform != fresh.ability.platform or keys & self._uncut:
            return False
        if not loaded.ready.is_set():
            return False
        return fresh.ability.platform not in FIXED or bool(shapes_of(loaded) & shapes_of(fresh))


async def _run(check: Check, loaded: Loaded) -> None:
    token = _CHECKING.set(True)
    try:
        await check(loaded)
    finally:
        _CHECKING.reset(token)


async def _either(*events: asyncio.Event) -> None:
    """Wait for one of them."""
    waits = [asyncio.ensure_future(one.wait()) for one in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()


def _speaks_against(error: BaseException) -> bool:
    """Whether this says that a model does not do as it was laid out, and not that it was given up.

    An engine that ends takes every model with it, however they are laid out.
    """
    return isinstance(error, AccelerateError) and error.code not in _NOTHING_OF_A_MODEL
