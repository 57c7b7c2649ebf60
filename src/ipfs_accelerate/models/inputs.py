"""What a caller gave, as the arrays that a model takes, or an error that says what differs."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import numpy as np

from ipfs_accelerate.errors import InferenceError
from ipfs_accelerate.models.exact import to_exact
from ipfs_accelerate.tensors.arrays import numpy_dtype
from ipfs_accelerate.tensors.dtypes import by_onnx

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ipfs_accelerate.models.manifest import Port

_IDS = "input_ids"
_DEFAULTS = {"attention_mask": 1, "token_type_ids": 0}


def check_inputs(ports: Sequence[Port], given: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Make of the inputs arrays that fit `ports`, in their order.

    A list becomes an array where that is exact, and a flat list for [batch, n] a batch of one.
    Integers of another width are taken where each of them fits.
    A missing attention_mask is ones and a missing token_type_ids zeros, as input_ids is shaped.
    """
    _refuse_unknown(ports, given)
    arrays = {port.name: _array(port, given[port.name]) for port in ports if port.name in given}
    for port in ports:
        if port.name not in arrays:
            arrays[port.name] = _default(port, arrays)
    _check_named_sizes(ports, arrays)
    return {port.name: arrays[port.name] for port in ports}


def narrowed(name: str, array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Whole numbers in a narrower dtype, as a part of the model takes them; each has to fit."""
    if not _holds(dtype, array):
        raise InferenceError(
            f"The input {name!r} does not fit: it has numbers that {dtype.name} can't hold, and "
            "it is taken in that since it only chooses rows.",
            code="input_mismatch",
            hint="Give numbers of rows that there are.",
        )
    return array.astype(dtype)


def describe(port: Port) -> str:
    """Write a port as errors name it: `int64[batch, sequence]`."""
    if port.shape is None:
        return f"{port.dtype} of any shape"
    sizes = ", ".join("?" if size is None else str(size) for size in port.shape)
    return f"{port.dtype}[{sizes}]"


def _refuse_unknown(ports: Sequence[Port], given: Mapping[str, Any]) -> None:
    names = [port.name for port in ports]
    for name in given:
        if name not in names:
            close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.0)
            nearest = f"The nearest is {close[0]!r}. " if close else ""
            raise InferenceError(
                f"The model has no input {name!r}.",
                code="input_unknown",
                hint=f"{nearest}Its inputs are: {_list_of(ports)}.",
                details={"input": name, "inputs": names},
            )


def _default(port: Port, arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    if port.name in _DEFAULTS and _IDS in arrays:
        shape = arrays[_IDS].shape
        return np.full(shape, _DEFAULTS[port.name], numpy_dtype(by_onnx(port.dtype).numpy))
    raise InferenceError(
        f"The input {port.name!r} is missing: expected {describe(port)}, got nothing.",
        code="input_missing",
        hint=f"Give it under the name {port.name!r}.",
        details={"input": port.name, "expected": describe(port)},
    )


def _array(port: Port, value: Any) -> NDArray[Any]:
    dtype = numpy_dtype(by_onnx(port.dtype).numpy)
    if hasattr(value, "__array__"):
        array = np.asarray(value)
        if array.dtype.newbyteorder("<") != dtype and not _holds(dtype, array):
            raise _mismatch(port, f"{array.dtype}{list(array.shape)}", f"Convert it: {_cast(port)}")
        array = array.astype(dtype, copy=False)
    else:
        array = _from_plain(port, value, dtype)
    _check_shape(port, array)
    return array


def _holds(dtype: np.dtype[Any], array: NDArray[Any]) -> bool:
    """Whether these are whole numbers of another width, each of which the port can hold."""
    if array.dtype.kind not in "iu" or dtype.kind not in "iu":
        return False
    if array.size == 0:
        return True
    limits = np.iinfo(dtype)
    return bool(limits.min <= int(array.min()) and int(array.max()) <= limits.max)


def _from_plain(port: Port, value: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    try:
        array = to_exact(value, dtype)
    except ValueError as error:
        raise _mismatch(port, str(error), "Give numbers that it can hold.") from None
    batched = port.shape is not None and array.ndim > 0 and array.ndim == len(port.shape) - 1
    if batched and port.shape is not None and (port.shape[0] == 1 or not _is_fixed(port.shape[0])):
        return array[np.newaxis]
    return array


def _check_shape(port: Port, array: NDArray[Any]) -> None:
    if port.shape is None:
        return
    got = f"{port.dtype}{list(array.shape)}"
    if array.ndim != len(port.shape):
        raise _mismatch(port, got, f"Give an array of {len(port.shape)} dimensions.")
    for axis, (size, wanted) in enumerate(zip(array.shape, port.shape, strict=True)):
        if _is_fixed(wanted) and size != wanted:
            raise _mismatch(port, got, f"Make its dimension {axis} {wanted} long.")


def _check_named_sizes(ports: Sequence[Port], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse inputs in which a dimension of one name has two sizes."""
    seen: dict[str, tuple[int, str]] = {}
    for port in ports:
        array = arrays[port.name]
        for size, name in zip(array.shape, port.shape or (), strict=False):
            if not isinstance(name, str):
                continue
            first, where = seen.setdefault(name, (size, port.name))
            if size != first:
                raise _mismatch(
                    port,
                    f"{port.dtype}{list(array.shape)}",
                    f"Its dimension {name!r} is {size}, and {first} in {where!r}: make them equal.",
                )


def _mismatch(port: Port, got: str, hint: str) -> InferenceError:
    return InferenceError(
        f"The input {port.name!r} does not fit: expected {describe(port)}, got {got}.",
        code="input_mismatch",
        hint=hint,
        details={"input": port.name, "expected": describe(port), "got": got},
    )


def _is_fixed(size: object) -> bool:
    return isinstance(size, int)


def _cast(port: Port) -> str:
    return f"{port.name}.astype({by_onnx(port.dtype).numpy!r})."


def _list_of(ports: Sequence[Port]) -> str:
    return ", ".join(f"{port.name} {describe(port)}" for port in ports) or "none"
