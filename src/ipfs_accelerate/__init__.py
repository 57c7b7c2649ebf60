"""Run models from Python on any browser's hardware.

    from ipfs_accelerate import Accelerator

    with Accelerator() as accelerator:
        result = accelerator.embed(["eating food", "eating a piece of bread"])
        print(result.output.shape, result.browser, result.backend)

Importing this loads nothing heavy: the names below are fetched when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipfs_accelerate.accelerator import Accelerator, Model
    from ipfs_accelerate.calls import RemoteTensor
    from ipfs_accelerate.client import AsyncAccelerator, AsyncModel
    from ipfs_accelerate.errors import (
        AccelerateError,
        BrowserError,
        ConfigError,
        InferenceError,
        ModelError,
        PoolError,
        ProtocolError,
        TensorError,
        TransportError,
    )
    from ipfs_accelerate.result import Result

    __version__: str

_HOME = {
    "Accelerator": "accelerator",
    "Model": "accelerator",
    "RemoteTensor": "calls",
    "AsyncAccelerator": "client",
    "AsyncModel": "client",
    "Result": "result",
    "AccelerateError": "errors",
    "BrowserError": "errors",
    "ConfigError": "errors",
    "InferenceError": "errors",
    "ModelError": "errors",
    "PoolError": "errors",
    "ProtocolError": "errors",
    "TensorError": "errors",
    "TransportError": "errors",
}

__all__ = [
    "AccelerateError",
    "Accelerator",
    "AsyncAccelerator",
    "AsyncModel",
    "BrowserError",
    "ConfigError",
    "InferenceError",
    "Model",
    "ModelError",
    "PoolError",
    "ProtocolError",
    "RemoteTensor",
    "Result",
    "TensorError",
    "TransportError",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib import metadata  # noqa: PLC0415 - it takes longer than all the rest

        globals()[name] = version = metadata.version("ipfs-accelerate")
        return version
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
