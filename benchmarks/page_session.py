"""The product's model in a bare page: the same graph, weights, runtime, options and threads."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.bare_peer import bare_socket
from benchmarks.machine import RUNTIME

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from benchmarks.bare_peer import Bare
    from ipfs_accelerate.models import BlockStore, Manifest


class PageRun(NamedTuple):
    """One run: the milliseconds by the page's clock and by the host's, and its first output."""

    took_ms: float
    waited_ms: float
    vector: NDArray[np.float64]

    @property
    def floor_ms(self) -> float:
        """What a bare socket to a Worker that runs the same session costs beside that run."""
        return self.waited_ms - self.took_ms


class PageSession:
    """A model's session in a page, behind a socket that carries bare numbers."""

    def __init__(self, socket: Bare, names: list[str]) -> None:
        self._socket = socket
        self._names = names

    async def run(self, inputs: Mapping[str, NDArray[np.integer[Any]]]) -> PageRun:
        """Run it once; the bytes to send are ready before the clock starts."""
        arrays = [inputs[name] for name in self._names]
        shape = np.array(arrays[0].shape, np.int32)
        data = np.concatenate([shape, *(one.ravel() for one in arrays)], dtype=np.int32).tobytes()
        started = perf_counter()
        await self._socket.send([data])
        came = await self._socket.receive()
        waited_ms = (perf_counter() - started) * 1000
        if came[:1] == b"{":
            raise RuntimeError(f"The bare page could not run: {bytes(came)!r}")
        numbers = np.frombuffer(came, np.float64)
        return PageRun(float(numbers[0]), waited_ms, numbers[1:])


@asynccontextmanager
async def page_session(
    manifest: Manifest, store: BlockStore, threads: int, folder: Path
) -> AsyncIterator[PageSession]:
    """A bare page in a browser of its own that holds the model."""

    def other_files(name: str) -> Path:
        kind, _, cid = name.partition("/")
        return store.path(cid) if kind == "blocks" else RUNTIME / "dist" / name

    names = [port.name for port in manifest.inputs]
    async with bare_socket("session", folder, other_files) as socket:
        weights = [{"path": one.path, "cid": one.cid} for one in manifest.weights]
        graph = manifest.graph.cid
        await _load(
            socket, {"threads": threads, "graph": graph, "weights": weights, "names": names}
        )
        yield PageSession(socket, names)


async def _load(socket: Bare, values: Mapping[str, Any]) -> None:
    await socket.send([json.dumps(values).encode()])
    came = json.loads(await socket.receive())
    if "error" in came:
        raise RuntimeError(f"The bare page could not load the model: {came['error']}")
