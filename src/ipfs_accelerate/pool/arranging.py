"""Whether models that are loaded are worth laying out anew for one that comes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.models.components import components_of, held_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ipfs_accelerate.models.components import Layout

LEAST_SHARE = 0.1
"""What must be saved, of the bytes to load anew or of the work, to be worth a reload."""


def worth_reload(
    present: Mapping[str, Layout], proposed: Mapping[str, Layout], alone: Layout
) -> bool:
    """Whether the new layouts of what is present pay for loading them.

    `alone` is how the model that comes would be laid out beside them, with nothing changed.
    """
    kept = components_of(present.values())
    changed = [
        layout
        for key, layout in proposed.items()
        if key in present and present[key].keys != layout.keys
    ]
    reloaded = sum(
        one.weight_bytes for key, one in components_of(changed).items() if key not in kept
    )
    saved = _held([*present.values(), alone]) - _held(proposed.values())
    return saved > LEAST_SHARE * reloaded or _work_shared(proposed) > LEAST_SHARE


def _held(layouts: Iterable[Layout]) -> int:
    return held_bytes(components_of(layouts).values())


def _work_shared(layouts: Mapping[str, Layout]) -> float:
    """The share of all models' work that is done in components of several of them."""
    total = shared = 0
    users: dict[str, int] = {}
    for layout in layouts.values():
        for key in set(layout.keys):
            users[key] = users.get(key, 0) + 1
    for layout in layouts.values():
        for stage in layout.stages:
            total += stage.component.macs
            shared += stage.component.macs if users[stage.component.key] > 1 else 0
    return shared / total if total else 0.0
