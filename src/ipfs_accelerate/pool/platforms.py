"""On which platform of a worker a model runs: what was wished, against what was measured. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import PoolError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ipfs_accelerate.config import Wish

HARDWARE = frozenset({"gpu", "npu"})
SOFTWARE_GPU = "software-gpu"


EVERY = ("webgpu", "webnn", "wasm")
NONE = "none"


@dataclass(frozen=True, slots=True)
class Ability:
    """What a worker has measured of one of its platforms."""

    platform: str
    device: str = NONE
    """gpu, software-gpu, npu or cpu; none where the platform is not there"""
    about: str = ""
    """the adapter's own words, or why the platform is not there"""
    f16: bool = False
    gflops: float = 0.0
    """of a small matmul; 0 where it was not measured"""
    copy_mb_s: float = 0.0
    details: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def there(self) -> bool:
        """Whether anything can run on it."""
        return self.device != NONE

    @property
    def is_hardware(self) -> bool:
        """Whether it is an accelerator, measured as one."""
        return self.device in HARDWARE

    def __str__(self) -> str:
        about = f" ({self.about})" if self.about else ""
        if not self.there:
            return f"{self.platform} is not there{about}"
        kind = "a software adapter" if self.device == SOFTWARE_GPU else f"its {self.device}"
        return f"{self.platform} runs on {kind}{about}"


PLAIN_WASM = Ability("wasm", "cpu")
"""What needs no asking: WASM is in every browser."""


def ranked(wish: Wish, abilities: Sequence[Ability], browser: str) -> list[Ability]:
    """The abilities that will do, best first; an error that says what was found where none will.

    A software adapter is taken by name alone: `auto` passes it over.
    """
    if wish.named:
        known = {one.platform: one for one in (PLAIN_WASM, *abilities)}
        fit = [known[name] for name in wish.named if name in known and known[name].there]
    else:
        fit = sorted(candidates(abilities), key=lambda one: -one.gflops)
    if wish.require_hardware:
        real = [one for one in fit if one.is_hardware]
        if not real:
            raise _no_hardware(wish, abilities, browser)
        return real
    if not fit:
        raise _not_there(wish, abilities, browser)
    return fit


def able(abilities: Sequence[Ability], precision: str) -> list[Ability]:
    """The abilities as they are for a model of this precision."""
    return [
        replace(
            one, device=NONE, about=f"{one.about}: it has no 16-bit floats, as this model needs"
        )
        if precision == "fp16" and one.platform == "webgpu" and one.there and not one.f16
        else one
        for one in abilities
    ]


def candidates(abilities: Sequence[Ability]) -> list[Ability]:
    """What `auto` chooses from: never a software adapter while anything else stands."""
    return [one for one in abilities if one.there and one.device != SOFTWARE_GPU]


def abilities_of(value: Mapping[str, Any]) -> list[Ability]:
    """What a worker answered to a probe."""
    return [Ability(**one) for one in value["abilities"]]


def _no_hardware(wish: Wish, abilities: Sequence[Ability], browser: str) -> PoolError:
    what = "No platform" if wish.platform == "auto" else f"The platform {wish.platform}"
    return PoolError(
        f"{what} of {browser} runs on an accelerator: {_found(abilities)}.",
        code="hardware_required",
        hint="Leave require_hardware out to run there all the same; `ipfs-accelerate doctor` says "
        "what is missing for a GPU.",
        details={"found": {one.platform: str(one) for one in abilities}},
    )


def _not_there(wish: Wish, abilities: Sequence[Ability], browser: str) -> PoolError:
    return PoolError(
        f"{browser} can't run a model on {' or '.join(wish.named) or 'any platform'}: "
        f"{_found(abilities)}.",
        code="platform_unavailable",
        hint="Name another platform or browser, or allow_fallback=['wasm'].",
        details={"found": {one.platform: str(one) for one in abilities}},
    )


def _found(abilities: Sequence[Ability]) -> str:
    return "; ".join(map(str, abilities)) or "nothing was found"
