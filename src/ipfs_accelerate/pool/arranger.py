"""Lays the models of a worker out together, as far as that pays for loading some of them anew."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ipfs_accelerate.models.components import whole
from ipfs_accelerate.pool.arranging import worth_reload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.models import BlockStore, Manifest
    from ipfs_accelerate.models.components import Layout
    from ipfs_accelerate.pool.platforms import Ability


class Arranger:
    """Plans over models' graphs, on a thread: reading and cutting them takes some milliseconds."""

    def __init__(self, store: BlockStore) -> None:
        self._store = store

    async def __call__(
        self, present: Mapping[str, Layout], models: Mapping[str, Manifest], ability: Ability
    ) -> dict[str, Layout]:
        """A layout for each of the models; `present` are those that are loaded, as they are."""
        return await asyncio.to_thread(self._arranged, present, models, ability)

    def _arranged(
        self, present: Mapping[str, Layout], models: Mapping[str, Manifest], ability: Ability
    ) -> dict[str, Layout]:
        # They load the graphs' readers, which a pool with one model does not need.
        from ipfs_accelerate.graph import Costs  # noqa: PLC0415
        from ipfs_accelerate.models.laying import lay_out  # noqa: PLC0415

        costs = Costs(gflops=ability.gflops or None)
        found = self._lent(lay_out(models, self._store, costs, present), ability)
        (fresh,) = set(models) - set(present)
        if worth_reload(present, found, whole(models[fresh])):
            return found
        loaded = {part.digest: part for layout in present.values() for part in layout.parts}
        beside = lay_out(models, self._store, costs, present, loaded.values())
        return {**present, fresh: beside[fresh]}

    def _lent(self, layouts: dict[str, Layout], ability: Ability) -> dict[str, Layout]:
        """With equal weights of different graphs held once, where that costs nothing."""
        from ipfs_accelerate.models.lending import LENDING, lend  # noqa: PLC0415 - see _arranged

        return lend(layouts, self._store) if ability.platform in LENDING else layouts
