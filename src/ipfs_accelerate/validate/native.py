"""Native onnxruntime, if it is installed: the reference of a model, a second opinion of a case."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import ConfigError
from ipfs_accelerate.tensors.dtypes import by_onnx

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

REFUSES = "refuses"
"""How the second opinion begins on a case that it can't load or run."""
_AS_BYTES = "float8e4m3fn"
_FATAL = 4
"""The level of its log: what it says at others comes with its exception too."""


class RefusedError(Exception):
    """Native onnxruntime can't load or run it; its own words."""


def installed() -> bool:
    """Whether it is there. It is not imported for that."""
    return importlib.util.find_spec("onnxruntime") is not None


def require() -> None:
    """An error that says how to get it, where it is not there."""
    if not installed():
        raise ConfigError(
            "A model is validated against native onnxruntime, which is not installed.",
            hint="Install it: pip install onnxruntime. `validate --operators` needs none.",
        )


def run(model: Path | bytes, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The outputs that native onnxruntime computes, by name."""
    import numpy as np  # noqa: PLC0415 - loaded with the first case

    # From 1.29 on it sends Microsoft what it runs, and keeps a device's id in the folder for
    # temporary files, unless it is told not to before it is imported.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - it has no types

    options = onnxruntime.SessionOptions()
    options.log_severity_level = _FATAL
    options.intra_op_num_threads = 1  # its threads spin, and take the browser's time
    source = model if isinstance(model, bytes) else str(model)
    feeds = {name: np.array(one, one.dtype.newbyteorder("=")) for name, one in inputs.items()}
    try:
        session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
        ports = session.get_outputs()
        arrays = session.run([port.name for port in ports], feeds)
    except Exception as error:  # its own classes, which have no common root
        raise RefusedError(" ".join(str(error).split())) from error
    return {port.name: _typed(port.type, one) for port, one in zip(ports, arrays, strict=True)}


def _typed(declared: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array in its own dtype: onnxruntime hands out bytes for one that NumPy lacks."""
    if declared != f"tensor({_AS_BYTES})":
        return array
    from ipfs_accelerate.tensors.arrays import numpy_dtype  # noqa: PLC0415 - loads NumPy

    return array.view(numpy_dtype(by_onnx(_AS_BYTES).numpy))
