"""Starts a browser to see what its platforms can do, and climbs the ladder of launches."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from ipfs_accelerate.browsers import has_display, rungs
from ipfs_accelerate.browsers.climbed import recall, remember
from ipfs_accelerate.browsers.gpus import sign_of_gpu
from ipfs_accelerate.errors import AccelerateError
from ipfs_accelerate.models.blocks import BlockStore
from ipfs_accelerate.pool.platforms import EVERY

if TYPE_CHECKING:
    from ipfs_accelerate.browsers import Installed, Rung
    from ipfs_accelerate.config import Config
    from ipfs_accelerate.pool.platforms import Ability

MEASURE_S = 60.0
"""How long all the probes of one browser may take; each has a limit of its own."""
_LOG = logging.getLogger("ipfs_accelerate")


async def measure(
    config: Config, installed: Installed, rung: Rung | None, *, speed: bool = True
) -> list[Ability]:
    """What each platform of this browser can do when it is started so; with `speed`, how fast."""
    from ipfs_accelerate.pool.pool import Pool  # noqa: PLC0415 - it measures in its turn

    threads = config.worker_threads
    alone = replace(config, websocket_port=0, max_connections=1, threads=threads, platform="wasm")
    pool = Pool(alone, BlockStore(config.folder), installed=installed, rung=rung)
    try:
        await pool.start()
        return await pool.execute(
            lambda worker: worker.probe(EVERY, measure=speed), timeout_s=MEASURE_S
        )
    finally:
        await pool.close()


def ways(installed: Installed, *, headless: bool) -> tuple[Rung, ...]:
    """The ladder of launches for this browser on this machine."""
    display = has_display(sys.platform, os.environ)
    return rungs(installed, sys.platform, headless, display=display)


async def rung_for(config: Config, installed: Installed) -> Rung:
    """The first rung that measures an accelerator; climbed once for each machine and version."""
    ladder = ways(installed, headless=config.headless)
    if config.platform == "wasm" or len(ladder) == 1 or not sign_of_gpu():
        return ladder[0]
    known = recall(config.folder, installed)
    if known is not None:
        return next((one for one in ladder if one.name == known.rung), ladder[0])
    _LOG.warning("Trying how %s reaches the GPU; that is done once for a version.", installed.name)
    found = await _climb(config, installed, ladder)
    remember(config.folder, installed, found.name if found else None)
    return found or ladder[0]


async def _climb(config: Config, installed: Installed, ladder: tuple[Rung, ...]) -> Rung | None:
    for rung in ladder:
        try:
            abilities = await measure(config, installed, rung, speed=False)
        except AccelerateError as error:
            _LOG.info("%s, %s: %s", installed.name, rung.about, error)
            continue
        if any(one.is_hardware for one in abilities):
            return rung
    return None
