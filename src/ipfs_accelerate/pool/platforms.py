"""On which platform of a worker a model runs: what was wished, against what was measured. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import PoolError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ipfs_accelerate.config import Wish

HARDWARE = frozenset({"gpu", "npu"})
SOFTWARE_GPU = "software-gpu"


@dataclass(frozen=True, slots=True)
class Ability:
    """What a worker has measured of one of its platforms."""

    platform: str
    device: str = ""
    """gpu, software-gpu, npu or cpu; empty where the platform is not there"""
    about: str = ""
    """the adapter's own words, or why the platform is not there"""
    gflops: float = 0.0

    @property
    def there(self) -> bool:
        """Whether anything can run on it."""
        return bool(self.device)

    @property
    def is_hardware(self) -> bool:
        """Whether it is an accelerator, measured as one."""
        return self.device in HARDWARE

    def __str__(self) -> str:
        if not self.there:
            return f"{self.platform} is not there ({self.about})"
        kind = "a software adapter" if self.device == SOFTWARE_GPU else f"its {self.device}"
        return f"{self.platform} runs on {kind}" + (f" ({self.about})" if self.about else "")


def ranked(wish: Wish, abilities: Sequence[Ability], browser: str) -> list[Ability]:
    """The abilities that will do, best first; an error that says what was found where none will.

    A software adapter is taken by name alone: `auto` passes it over.
    """
    if wish.named:
        known = {one.platform: one for one in abilities}
        fit = [known[name] for name in wish.named if name in known and known[name].there]
    else:
        there = [one for one in abilities if one.there and one.device != SOFTWARE_GPU]
        fit = sorted(there, key=lambda one: -one.gflops)
    if wish.require_hardware:
        real = [one for one in fit if one.is_hardware]
        if not real:
            raise _no_hardware(wish, abilities, browser)
        return real
    if not fit:
        raise _not_there(wish, abilities, browser)
    return fit


def ability_of(probe: Mapping[str, Any]) -> Ability:
    """What a worker's probe of a platform comes to; nothing is believed that it did not measure."""
    platform = probe["platform"]
    if "unavailable" in probe:
        return Ability(platform, about=probe["unavailable"])
    if platform == "webgpu":
        words = (probe["adapter"][name] for name in ("vendor", "architecture", "device"))
        about = " ".join(one for one in words if one) or "an adapter that tells nothing of itself"
        device = SOFTWARE_GPU if probe["software"] else "gpu"
        return Ability(platform, device, about, probe["matmul_gflops"])
    if platform == "webnn":
        return _webnn(probe["contexts"])
    return Ability(platform, "cpu", f"{probe['threads']} threads")


def _webnn(contexts: Sequence[Mapping[str, Any]]) -> Ability:
    """A context succeeds whatever it is asked for: where its graph runs is what its graph says."""
    errors = [one["error"] for one in contexts if "error" in one]
    made = [one for one in contexts if "error" not in one]
    if not made:
        return Ability("webnn", about=errors[0] if errors else "it makes no context")
    for device in ("npu", "gpu"):
        for one in made:
            if device in one.get("graph_devices", ()):
                return Ability("webnn", device, gflops=one.get("matmul_gflops", 0.0))
    return Ability("webnn", "cpu", gflops=max(one.get("matmul_gflops", 0.0) for one in made))


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
