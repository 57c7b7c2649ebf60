"""The components that one engine holds: each is loaded once, whoever uses it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ipfs_accelerate.errors import AccelerateError
from ipfs_accelerate.models.components import held_bytes
from ipfs_accelerate.protocol.messages import Block, Load, Unload, Weight

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.models.components import Component
    from ipfs_accelerate.pool.needs import OnProgress
    from ipfs_accelerate.pool.platforms import Ability

Ask: TypeAlias = Callable[..., Awaitable[Any]]


@dataclass(slots=True)
class Held:
    """A component on the engine, what the engine said of it, and the models that use it."""

    component: Component
    value: Mapping[str, Any]
    users: set[str] = field(default_factory=set)
    took_ms: float | None = None
    """its last run; None before the first"""


class Holding:
    """Loads a component for its first user, and unloads it after its last."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.held: dict[str, Held] = {}
        """by the engine's keys"""

    async def take(
        self,
        key: str,
        component: Component,
        user: str,
        *,
        ability: Ability,
        fallback: bool,
        dimensions: Mapping[str, int],
        on_progress: OnProgress | None,
    ) -> Held:
        """The component, loaded now or before; `user` is a model's key."""
        held = self.held.get(key)
        if held is None:
            message = _load(key, component, ability, dimensions, fallback=fallback)
            answer = await self._loaded(message, on_progress)
            held = self.held[key] = Held(component, dict(answer.value))
        held.users.add(user)
        return held

    def is_last(self, key: str, user: str) -> bool:
        """Whether this model is the only one that uses the component."""
        held = self.held.get(key)
        return held is not None and held.users == {user}

    async def give_back(self, key: str, user: str) -> None:
        """The model uses the component no longer."""
        held = self.held.get(key)
        if held is None or user not in held.users:
            return
        held.users.discard(user)
        if not held.users:
            del self.held[key]
            await self._ask(Unload(model=key))

    async def _loaded(self, message: Load, on_progress: OnProgress | None) -> Any:
        try:
            return await self._ask(message, on_progress=on_progress)
        except asyncio.CancelledError:  # what an engine is making already it will hold
            with contextlib.suppress(AccelerateError):
                await asyncio.shield(self._ask(Unload(model=message.model)))
            raise

    @property
    def held_bytes(self) -> int:
        """The bytes of weights of all of them."""
        return held_bytes(one.component for one in self.held.values())

    def of(self, user: str) -> list[str]:
        """The engine's keys of what this model uses."""
        return [key for key, held in self.held.items() if user in held.users]

    def clear(self) -> None:
        """The engine has ended, and all that it held with it."""
        self.held.clear()


def key_of(component: Component, ability: Ability, dimensions: Mapping[str, int]) -> str:
    """What an engine calls a component on a platform, with the dimensions that are fixed there."""
    fixed = ",".join(f"{name}={size}" for name, size in dimensions.items())
    return f"{component.key} {ability.platform} {fixed}"


def _load(
    key: str,
    component: Component,
    ability: Ability,
    dimensions: Mapping[str, int],
    *,
    fallback: bool,
) -> Load:
    return Load(
        model=key,
        platform=ability.platform,
        fallback=fallback,
        dimensions=dimensions,
        graph=Block(component.graph.cid, component.graph.size),
        weights=tuple(Weight(one.path, one.cid, one.size) for one in component.weights),
        lent=component.lent,
    )
