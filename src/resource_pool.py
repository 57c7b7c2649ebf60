"""The guides' global resource pool: resources by name, each built when it is first asked for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from fixed_web_platform.resource_pool_integration import create_ipfs_web_accelerator
from ipfs_accelerate.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ResourcePool", "get_global_resource_pool"]


class ResourcePool:
    """Named resources, shared by the whole program."""

    def __init__(self, builders: dict[str, Callable[[], Any]]) -> None:
        self._builders = builders
        self._built: dict[str, Any] = {}
        self._lock = threading.Lock()

    def get_resource(self, name: str) -> Any:
        """The resource of this name, built now if it wasn't before."""
        if name not in self._builders:
            raise ConfigError(
                f"There is no resource {name!r}.", hint=f"There is {', '.join(self._builders)}."
            )
        with self._lock:
            if name not in self._built:
                self._built[name] = self._builders[name]()
            return self._built[name]


_POOL = ResourcePool({"ipfs_web_integration": lambda: create_ipfs_web_accelerator().integration})


def get_global_resource_pool() -> ResourcePool:
    """The one pool of this program."""
    return _POOL
