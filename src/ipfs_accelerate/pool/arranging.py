"""Whether models that are loaded are worth laying out anew for one that comes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ipfs_accelerate.models.components import Component, Layout

LEAST_SHARE = 0.1
"""What must be saved, of the bytes to load anew or of the work, to be worth a reload."""


def components_of(layouts: Collection[Layout]) -> dict[str, Component]:
    """Every component of these, once."""
    return {one.component.key: one.component for layout in layouts for one in layout.stages}


def held_bytes(layouts: Collection[Layout]) -> int:
    """The bytes of weights that an engine holds for them."""
    return sum(one.weight_bytes for one in components_of(layouts).values())


def worth_reload(
    present: Mapping[str, Layout], proposed: Mapping[str, Layout], alone: Layout
) -> bool:
    """Whether the new layouts of what is present pay for loading them.

    `alone` is how the model that comes would be laid out beside them, with nothing changed.
    """
    kept = components_of(present.values())
    changed = [layout for key, layout in proposed.items() if present.get(key, layout) != layout]
    reloaded = sum(
        one.weight_bytes for key, one in components_of(changed).items() if key not in kept
    )
    saved = held_bytes([*present.values(), alone]) - held_bytes(proposed.values())
    return saved > LEAST_SHARE * reloaded or _work_shared(proposed) > LEAST_SHARE


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
