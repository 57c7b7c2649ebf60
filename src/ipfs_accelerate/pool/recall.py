"""What an engine has computed and still holds, so that another request takes it by its handle."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from math import prod
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import AccelerateError
from ipfs_accelerate.pool.plan import Memory
from ipfs_accelerate.pool.platforms import PLAIN_WASM
from ipfs_accelerate.protocol.messages import Drop
from ipfs_accelerate.remembered import Remembered
from ipfs_accelerate.tensors.dtypes import by_wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ipfs_accelerate.pool.holding import Ask
    from ipfs_accelerate.pool.loaded import Loaded
    from ipfs_accelerate.pool.plan import Digest, Plan

LEAST_MS = 1.0
"""What computes faster is not worth remembering."""


class Recall:
    """Handles of live tensors. A request that comes behind another may count on what that makes."""

    def __init__(self, ask: Ask, most_bytes: int) -> None:
        self.remembered = Remembered[int](most_bytes)
        self._ask = ask
        self._tasks: set[asyncio.Task[None]] = set()

    def memory(self, loaded: Loaded, digest: Digest, handles: Iterator[int]) -> Memory | None:
        """What a plan over this model may use: what several models have in common, if anything."""

        def shared(stage: int) -> bool:
            return len(loaded.held[stage].users) > 1

        def worth(stage: int) -> bool:
            took_ms = loaded.held[stage].took_ms
            return shared(stage) and (took_ms is None or took_ms >= LEAST_MS)

        if not any(map(shared, range(len(loaded.held)))):
            return None  # so that nothing is hashed in vain
        return Memory(self.remembered, worth, digest, handles)

    def promise(self, plan: Plan, loaded: Loaded) -> None:
        """The plan is being sent: what it makes is there for whatever is sent after it."""
        for one in plan.made:
            self.free(self.remembered.keep(one.key, one.handle, loaded.keys[one.stage]))

    def fulfil(self, plan: Plan, loaded: Loaded, value: Mapping[str, Any]) -> None:
        """The plan was carried out: `value` is the engine's answer."""
        run_ms = _run_ms(plan, loaded, value)
        for stage, own in zip(plan.ran, run_ms, strict=True):
            loaded.held[stage].took_ms = own
        took = plan.took_ms(run_ms)
        kept = {one["handle"]: _size(one) for one in value["kept"]}
        for one in plan.made:
            if self._is_ours(one.key, one.handle):
                size, took_ms = kept[one.handle], took[one.stage]
                self.free(self.remembered.measured(one.key, size=size, took_ms=took_ms))

    def withdraw(self, plan: Plan) -> None:
        """The plan was not carried out, or what it counted on was not there."""
        for one in plan.made:
            if self._is_ours(one.key, one.handle):
                self.free(self.remembered.drop(one.key))
        for hit in plan.hits:
            self.free(self.remembered.drop(hit.key))

    async def forget(self, owner: str) -> None:
        """A component goes, and what it made goes with it."""
        await self._drop(self.remembered.forget(lambda entry: entry.owner == owner))

    def clear(self) -> None:
        """The engine has ended, and all that it held with it."""
        self.remembered.forget(lambda _: True)

    def free(self, handles: Sequence[int]) -> None:
        """Free these, with nobody waiting for it."""
        if handles:
            task = asyncio.ensure_future(self._drop(handles))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _drop(self, handles: Sequence[int]) -> None:
        if handles:
            with suppress(AccelerateError):  # an engine that has ended has freed them
                await self._ask(Drop(handles=tuple(handles)))

    def _is_ours(self, key: str, handle: int) -> bool:
        entry = self.remembered.find(key)
        return entry is not None and entry.value == handle


def _run_ms(plan: Plan, loaded: Loaded, value: Mapping[str, Any]) -> list[float]:
    """What each step took.

    A device computes on after a step has returned: the wait for it at the end is divided among the
    steps by their work.
    """
    own = [float(step["run_ms"]) for step in value["steps"]]
    if loaded.ability.platform == PLAIN_WASM.platform or not own:
        return own
    work = [loaded.held[stage].component.macs + 1 for stage in plan.ran]
    return [ms + value["fetch_ms"] * part / sum(work) for ms, part in zip(own, work, strict=True)]


def _size(kept: Mapping[str, Any]) -> int:
    size: int = by_wire(kept["dtype"]).size * prod(kept["shape"])
    return size
