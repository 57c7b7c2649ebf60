"""What the facts come to, for a person: what is real, what is missing, and what to do. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ipfs_accelerate.doctor.facts import Facts, Signs

# Chromium takes 390 MB, idle, with a page; MiniLM 175 MB above that while it is loaded.
NEEDED_MB = 600
# Docker gives 64 MB, which a browser with large messages outgrows.
NEEDED_SHM_MB = 128
SHARED = "/dev/shm"  # noqa: S108 - it is named, not used
SOFTWARE_DRIVERS = frozenset({"lvp"})

Level = Literal["good", "note", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know, and what to do about it."""

    level: Level
    what: str
    do: str = ""


def findings(facts: Facts) -> list[Finding]:
    """Everything worth saying, the gravest first."""
    found = [
        *_of_browsers(facts),
        *_of_hardware(facts),
        *_of_system(facts),
        *_of_network(facts),
        *_of_storage(facts),
    ]
    order = ("error", "warning", "note", "good")
    return sorted(found, key=lambda one: order.index(one.level))


def _of_browsers(facts: Facts) -> Iterator[Finding]:
    if facts.trouble:
        yield Finding("error", facts.trouble)
    if not facts.browsers:
        ways = "; ".join(f"{one.name}: {one.get}" for one in facts.missing)
        yield Finding("error", "No browser was found.", f"Get one of these. {ways}.")
    elif not facts.works:
        errors = dict.fromkeys(f"{one.name}: {one.error}" for one in facts.browsers if one.error)
        yield Finding("error", "No browser works.", " ".join(errors))
    elif facts.measured:
        for browser in facts.browsers:
            if not browser.works:
                what = f"{browser.name} at {browser.path} does not work."
                yield Finding("warning", what, browser.error)


def _of_hardware(facts: Facts) -> Iterator[Finding]:
    if not facts.measured or not facts.works:
        return
    real = dict.fromkeys(
        f"{browser.name}'s {one.platform} runs on this machine's {one.device} ({one.about})"
        f" with the launch {launch.rung}."
        for browser in facts.browsers
        for launch in browser.launches
        for one in launch.abilities
        if one.is_hardware
    )
    if real:
        yield from (Finding("good", line) for line in real)
        return
    software = {one.about for one in facts.abilities if one.device == "software-gpu"}
    if software:
        names = ", ".join(sorted(software))
        what = f"WebGPU is software here ({names}): right numbers, on the CPU, and slow."
        yield Finding("note", what, "platform='auto' passes it over.")
    yield Finding("warning", "No browser that was started reaches a GPU or NPU.", _for_a_gpu(facts))
    if not facts.signs.vulkan and any(one.name == "firefox" for one in facts.browsers):
        do = "`apt install mesa-vulkan-drivers` brings one, a software one among them."
        yield Finding("note", "Firefox's WebGPU needs a Vulkan driver, and there is none.", do)


def _for_a_gpu(facts: Facts) -> str:
    """What stands between this machine and a GPU, by the first thing that is missing."""
    signs, system = facts.signs, facts.system
    if all(browser.name == "portable" for browser in facts.browsers):
        return "The portable browser reaches no GPU: install Chrome or Chromium."
    if not signs.nodes and not system.os.startswith("macOS"):
        return _for_a_driver(signs, in_container=system.container)
    closed = [node.path for node in signs.nodes if not node.usable]
    if closed and len(closed) == len(signs.nodes):
        return (
            f"This user may not open {', '.join(closed)}: `sudo usermod -aG render,video $USER`,"
            " then log in again."
        )
    if signs.nodes and not set(signs.vulkan) - SOFTWARE_DRIVERS:
        return (
            "There is a GPU, but no Vulkan driver for it: `apt install mesa-vulkan-drivers` for"
            " AMD and Intel, the vendor's own driver for NVIDIA."
        )
    return (
        "There are signs of a GPU, but every launch above was refused it: see chrome://gpu in a"
        " visible window, bring browser and driver up to date, and try `--visible`."
    )


def _for_a_driver(signs: Signs, *, in_container: bool) -> str:
    if in_container:
        return (
            "This container sees no GPU: start it with `--device /dev/dri` (AMD, Intel) or with"
            " `--gpus all` and the NVIDIA container toolkit."
        )
    if signs.cards:
        return (
            f"There is a card ({signs.cards[0]}), but no device file of it: its kernel driver is"
            " not loaded, or this is a virtual card without one. Install the vendor's driver."
        )
    return "There is no sign of a GPU here. WASM runs on the CPU, and needs none."


def _of_system(facts: Facts) -> Iterator[Finding]:
    free, shm = facts.system.free_mb, facts.system.shm_mb
    if free is not None and free < NEEDED_MB:
        what = f"{free} MB of memory are free; a browser with MiniLM takes {NEEDED_MB}."
        yield Finding("warning", what, "End some programs, or give the container more.")
    if shm is not None and shm < NEEDED_SHM_MB:
        what = f"{SHARED} has {shm} MB, through which a browser's processes speak."
        yield Finding("warning", what, "Start the container with `--shm-size=1g`.")
    if not facts.sandbox:
        what = "The browser runs without its own sandbox, as root or in a container that has none."
        yield Finding("note", what, "Run as an ordinary user, where that is possible.")


def _of_network(facts: Facts) -> Iterator[Finding]:
    network = facts.network
    if network.proxies and not network.loopback_excepted:
        names = ", ".join(network.proxies)
        what = f"{names} may send what goes to 127.0.0.1 to a proxy."
        yield Finding("warning", what, "Set NO_PROXY=127.0.0.1,localhost.")
    if network.ports and not any(network.ports.values()):
        what = f"The ports {min(network.ports)} to {max(network.ports)} are all taken."
        do = "Another is taken then, but the browser's caches are cold: end what holds these."
        yield Finding("warning", what, do)


def _of_storage(facts: Facts) -> Iterator[Finding]:
    if not facts.cache.writable:
        do = "Make it writable, or set IPFS_ACCELERATE_CACHE to another folder."
        yield Finding("error", f"{facts.cache.folder} can't be written to.", do)
    for model in facts.models:
        if not model.version:
            do = f"Get it with: {model.install}"
            yield Finding("note", f"The package of {model.name} is not installed.", do)
