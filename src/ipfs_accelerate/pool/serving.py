"""Has a worker serve a model: finds the platform for it, and goes on where one can't run it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import AccelerateError
from ipfs_accelerate.pool.platforms import (
    EVERY,
    PLAIN_WASM,
    SOFTWARE_GPU,
    Ability,
    able,
    candidates,
    ranked,
)
from ipfs_accelerate.pool.state import worker_lost

if TYPE_CHECKING:
    from ipfs_accelerate.config import Config, Wish
    from ipfs_accelerate.pool.loaded import Loaded
    from ipfs_accelerate.pool.measured import Measured
    from ipfs_accelerate.pool.needs import Needed
    from ipfs_accelerate.pool.worker import Worker

PASSED_OVER = frozenset({"operator_unsupported", "platform_unavailable", "wrong_numbers"})
"""What speaks against a platform, not against the model."""
PLAIN, WITH_DEVICES, UNDECIDED = "plain", "asyncify", "undecided"
_LOG = logging.getLogger("ipfs_accelerate")


class Serving:
    """Where the models of a pool's workers run."""

    def __init__(self, config: Config, measured: Measured) -> None:
        self._config = config
        self._measured = measured
        self._told: set[int] = set()

    def runtime(self) -> str:
        """The build of onnxruntime-web that a fresh engine begins with."""
        platform = self._config.platform
        if platform == "auto" and not self._config.require_hardware:
            platform = self._measured.best() or "auto"
        if platform == "auto":
            return UNDECIDED
        return PLAIN if platform == "wasm" else WITH_DEVICES

    async def load(self, worker: Worker, needed: Needed) -> Loaded:
        """The model on this worker, on the best platform that is allowed and can run it."""
        choice = (needed.model.key, needed.wish)
        ability = worker.serving.get(choice)
        if ability is not None:
            return await worker.load(needed, ability)
        abilities = able(await self._abilities(worker, needed.wish), needed.model.precision)
        refusals: list[AccelerateError] = []
        for ability in ranked(needed.wish, abilities, worker.browser_name):
            try:
                loaded = await self._load_on(worker, needed, ability)
            except AccelerateError as error:
                if error.code not in PASSED_OVER:
                    raise
                refusals.append(error)
            else:
                worker.serving[choice] = ability
                return loaded
        self._measured.forget()  # what was remembered does not hold
        raise refusals[0]

    async def _abilities(self, worker: Worker, wish: Wish) -> list[Ability]:
        if wish.named and not wish.require_hardware:
            asked = [one for one in wish.named if one != PLAIN_WASM.platform]
            return await worker.probe(asked, measure=False)
        if not wish.require_hardware and (known := self._measured.abilities()):
            return known
        found = await worker.probe(EVERY, measure=False)
        able_here = [one.platform for one in candidates(found)]
        if not wish.named and len(able_here) > 1:
            found = await worker.probe(able_here, measure=True)
        if not wish.named and not wish.require_hardware:
            self._measured.remember(found)
        return [worker.abilities.get(one, Ability(one)) for one in EVERY]

    async def _load_on(self, worker: Worker, needed: Needed, ability: Ability) -> Loaded:
        if ability.platform != PLAIN_WASM.platform and worker.runtime == PLAIN:
            raise await _with_devices(worker, ability)
        if worker.runtime == UNDECIDED:  # the engine decides in the same way, at its first load
            worker.runtime = PLAIN if ability.platform == PLAIN_WASM.platform else WITH_DEVICES
        loaded = await worker.load(needed, ability)
        if loaded.device == SOFTWARE_GPU and worker.number not in self._told:
            self._told.add(worker.number)
            _LOG.warning(
                "WebGPU runs on a software adapter here (%s, in %s): right numbers, but slower "
                "than platform='auto'. `ipfs-accelerate doctor` says what a GPU needs.",
                ability.about,
                worker.browser_name,
            )
        return loaded


async def _with_devices(worker: Worker, ability: Ability) -> AccelerateError:
    """Replace an engine whose build has no devices; the request is then tried again."""
    await worker.restart_engine(f"{ability.platform} needs another build", WITH_DEVICES)
    lost = worker_lost(worker.number, f"its engine was replaced by one that has {ability.platform}")
    lost.details["engine_replaced"] = True
    return lost
