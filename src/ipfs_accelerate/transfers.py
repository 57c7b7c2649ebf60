"""Tensors to a worker, back, and freed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ipfs_accelerate.calls import RemoteTensor
from ipfs_accelerate.errors import TensorError
from ipfs_accelerate.protocol.messages import Drop, Get, Put
from ipfs_accelerate.tensors.arrays import from_wire, to_wire

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ipfs_accelerate.pool import Worker


def check(*tensors: object) -> None:
    """An error where one of these is not a tensor that a worker holds."""
    for one in tensors:
        if not isinstance(one, RemoteTensor):
            raise TensorError(
                f"A {type(one).__name__} is no tensor on a worker.",
                hint="Give what `put` has given.",
            )


async def put(worker: Worker, handle: int, values: ArrayLike) -> RemoteTensor:
    """Send an array to a worker under a handle."""
    array = _array(values)
    await worker.ask(Put(handle=handle), {"data": to_wire(array)})
    return RemoteTensor(worker.number, handle, array.dtype.name, array.shape)


async def get(worker: Worker, tensor: RemoteTensor) -> NDArray[Any]:
    """Bring a tensor back; the array is a read-only view of what came."""
    answer = await worker.ask(Get(handle=tensor.handle))
    return from_wire(answer.tensors["data"])


async def drop(worker: Worker, handles: tuple[int, ...]) -> int:
    """Free handles; how many of them were there."""
    answer = await worker.ask(Drop(handles=handles))
    dropped: int = answer.value["dropped"]
    return dropped


def _array(values: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise TensorError(
            f"A {type(values).__name__} does not make an array: {error}",
            code="tensor_dtype",
            hint="Give an array, or lists that are all of one length.",
        ) from error
