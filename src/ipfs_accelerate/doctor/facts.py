"""What the doctor found. Pure: `dataclasses.asdict` of it is the JSON that `--json` prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

NONE = "none"
HARDWARE = frozenset({"gpu", "npu"})


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """The machine, and the Python that runs here."""

    os: str
    machine: str
    python: str
    executable: str
    cores: int
    """those that this process may use"""
    memory_mb: int | None = None
    """of the machine, or of the container where that has less"""
    free_mb: int | None = None
    shm_mb: int | None = None
    """of /dev/shm, through which Chromium's processes speak"""
    container: bool = False
    packages: Mapping[str, str] = field(default_factory=dict)
    """native runtimes of models that are installed beside this one, with their versions"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A device file of a GPU or NPU."""

    path: str
    usable: bool
    """whether this user may open it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What of GPUs and NPUs can be seen without a browser. A sign is not a measurement."""

    nodes: tuple[Node, ...] = ()
    cards: tuple[str, ...] = ()
    vulkan: tuple[str, ...] = ()
    """the names of the Vulkan drivers installed, software ones among them"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one platform of a browser was measured as."""

    platform: str
    device: str
    about: str
    f16: bool
    gflops: float
    copy_mb_s: float
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def there(self) -> bool:
        """Whether anything can run on it."""
        return self.device != NONE

    @property
    def is_hardware(self) -> bool:
        """Whether it is an accelerator, measured as one."""
        return self.device in HARDWARE


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One way of starting a browser, and what it led to."""

    rung: str
    about: str
    flags: tuple[str, ...]
    headless: bool
    abilities: tuple[Measured, ...] = ()
    error: str = ""
    """why nothing was measured"""

    @property
    def works(self) -> bool:
        """Whether a model can run there."""
        return any(one.there for one in self.abilities)


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """A browser that was found."""

    name: str
    version: str
    path: str
    launches: tuple[Launch, ...] = ()
    """empty where none was tried"""

    @property
    def works(self) -> bool:
        """Whether a model can run in it, however it is started."""
        return any(launch.works for launch in self.launches)

    @property
    def error(self) -> str:
        """What went wrong first."""
        return next((launch.error for launch in self.launches if launch.error), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A browser that is known and was not found."""

    name: str
    get: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """What may stand between a browser and this process on loopback."""

    proxies: Mapping[str, str] = field(default_factory=dict)
    """variables of the environment that name a proxy, with no password in them"""
    loopback_excepted: bool = True
    ports: Mapping[int, bool] = field(default_factory=dict)
    """whether each is free"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """The folder of models and browser profiles."""

    folder: str
    exists: bool
    writable: bool
    size_mb: float
    free_mb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that has a name here."""

    name: str
    package: str
    version: str
    """empty where the package is not installed, or not whole"""
    install: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that was found."""

    system: System
    signs: Signs
    network: Network
    cache: Cache
    sandbox: bool
    models: tuple[Model, ...]
    browsers: tuple[Browser, ...]
    missing: tuple[Missing, ...]
    measured: bool
    """whether browsers were started"""
    trouble: str = ""
    """what is wrong with the browser that the environment names"""

    @property
    def works(self) -> bool:
        """Whether a browser works; where none was started, whether there is one."""
        if not self.measured:
            return bool(self.browsers)
        return any(browser.works for browser in self.browsers)

    @property
    def abilities(self) -> list[Measured]:
        """Everything that was measured, of every browser and launch."""
        launches = [launch for browser in self.browsers for launch in browser.launches]
        return [one for launch in launches for one in launch.abilities]
