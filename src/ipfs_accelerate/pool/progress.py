"""How far the load of several components is, as one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ipfs_accelerate.models.components import Component
    from ipfs_accelerate.pool.needs import OnProgress


class Together:
    """Tells a caller how far all these components are, which are loaded one after another."""

    def __init__(self, tell: OnProgress | None, components: Sequence[Component]) -> None:
        self._tell = tell
        self._total = sum(map(_size, components))
        self._done = 0

    def of(self, component: Component) -> OnProgress | None:
        """What this component's load reports to; call `loaded` after it."""
        tell = self._tell
        if tell is None:
            return None
        return lambda stage, done, _total: tell(
            stage, self._done + min(done, _size(component)), self._total
        )

    def loaded(self, component: Component) -> None:
        """It is there."""
        self._done += _size(component)


def _size(component: Component) -> int:
    return component.graph.size + component.weight_bytes
