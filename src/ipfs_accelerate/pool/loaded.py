"""A model on a worker, as it is loaded there: its components, its shapes, what it may do."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.shapes import FIXED
from ipfs_accelerate.pool.holding import key_of

if TYPE_CHECKING:
    from ipfs_accelerate.models import Manifest
    from ipfs_accelerate.models.components import Layout
    from ipfs_accelerate.pool.holding import Held
    from ipfs_accelerate.pool.needs import Dimensions, Needed
    from ipfs_accelerate.pool.plan import Plan
    from ipfs_accelerate.pool.platforms import Ability


@dataclass(slots=True, eq=False)
class Loaded:
    """A model on a worker: its way over components, and what their engine said of each."""

    key: str
    needed: Needed
    ability: Ability
    dimensions: Dimensions
    layout: Layout
    load_s: float = 0.0
    counted: bool = False
    """whether the statistics have it"""
    keys: tuple[str, ...] = ()
    """what the engine calls the components"""
    held: tuple[Held, ...] = ()
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    """set while it serves: laid out, loaded and checked"""
    gone: bool = False
    """whether it was unloaded"""

    def as_it_is(self) -> Loaded:
        """It with its components of now, for a request: it may be laid out anew meanwhile."""
        return replace(self)

    def holds(self, plan: Plan) -> bool:
        """Whether it still serves by the components that this plan was made for."""
        serves = self.ready.is_set() and not self.gone
        return serves and {one.model for one in plan.message.steps} <= set(self.keys)

    @property
    def device(self) -> str:
        """The kind of device under it."""
        return str(self.held[-1].value["device"])

    @property
    def backend(self) -> str:
        """The execution providers that run it."""
        return "+".join(dict.fromkeys(str(one.value["backend"]) for one in self.held))

    @property
    def fell_back(self) -> tuple[str, ...]:
        """The operators that its platform lacks."""
        return tuple(sorted({name for one in self.held for name in one.value["fell_back"]}))

    @property
    def weight_bytes(self) -> int:
        """What its components hold, those included that other models use too."""
        return sum(one.component.weight_bytes for one in self.held)


def name_of(model: Manifest, ability: Ability, dimensions: Dimensions) -> str:
    """A model's name on a worker: on a platform, with the dimensions that are fixed there."""
    fixed = ",".join(f"{name}={size}" for name, size in dimensions.items())
    return f"{model.key} {ability.platform} {fixed}"


def engine_keys(loaded: Loaded, layout: Layout) -> tuple[str, ...]:
    """What the engine calls the components of this layout."""
    sizes = [layout.sizes(number, loaded.dimensions) or {} for number in range(len(layout.stages))]
    return tuple(
        key_of(stage.component, loaded.ability, fixed)
        for stage, fixed in zip(layout.stages, sizes, strict=True)
    )


def can_take(loaded: Loaded, layout: Layout) -> bool:
    """Whether its platform can: one that takes fixed shapes must know those of each stage."""
    if loaded.ability.platform not in FIXED or layout.is_file:
        return True
    sizes = [layout.sizes(number, loaded.dimensions) for number in range(len(layout.stages))]
    return None not in sizes


def shapes_of(loaded: Loaded) -> set[tuple[object, ...]]:
    """Its inputs, each with the shape that it has here."""
    return {
        (
            port.name,
            *(
                loaded.dimensions.get(size) if isinstance(size, str) else size
                for size in port.shape or ()
            ),
        )
        for port in loaded.needed.model.inputs
    }


def allowed(loaded: Loaded, needed: Needed) -> Loaded:
    """The model; an error where it has operators on the CPU, and its caller does not allow that."""
    platform = loaded.ability.platform
    if not loaded.fell_back or needed.wish.falls_back(platform):
        return loaded
    raise ModelError(
        f"{platform} lacks operators of this model: {', '.join(loaded.fell_back)}.",
        code="operator_unsupported",
        hint="Let them run on the CPU by allow_fallback=['wasm'], or use another platform.",
        details={"platform": platform, "operators": list(loaded.fell_back)},
    )
