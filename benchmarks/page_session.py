"""The product's model in a bare page: the same graph, weights, runtime, options and threads."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.bare_peer import bare_socket
from benchmarks.machine import RUNTIME

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from benchmarks.bare_peer import Bare
    from ipfs_accelerate.models import BlockStore, Manifest


class PageSession:
    """A model's session in a page; `run` says what the page itself measured."""

    def __init__(self, socket: Bare, outputs: list[str]) -> None:
        self._socket = socket
        self._outputs = outputs

    async def run(self, inputs: Mapping[str, NDArray[Any]]) -> tuple[float, NDArray[np.float32]]:
        """The milliseconds of one run, by the page's clock, and its first output, flat."""
        rows = {name: array.tolist() for name, array in inputs.items()}
        answer = await _ask(self._socket, "run", {"inputs": rows, "outputs": self._outputs})
        return float(answer["took"]), np.array(answer["vector"], np.float32)


@asynccontextmanager
async def page_session(
    manifest: Manifest, store: BlockStore, threads: int, folder: Path
) -> AsyncIterator[PageSession]:
    """A bare page in a browser of its own that holds the model."""

    def other_files(name: str) -> Path:
        kind, _, cid = name.partition("/")
        return store.path(cid) if kind == "blocks" else RUNTIME / "dist" / name

    async with bare_socket("session", folder, other_files) as socket:
        weights = [{"path": one.path, "cid": one.cid} for one in manifest.weights]
        load = {"threads": threads, "graph": manifest.graph.cid, "weights": weights}
        yield PageSession(socket, await _ask(socket, "load", load))


async def _ask(socket: Bare, what: str, values: Mapping[str, Any]) -> Any:
    await socket.send([json.dumps({what: values}).encode()])
    came = json.loads(await socket.receive())
    if "error" in came:
        raise RuntimeError(f"The bare page could not {what}: {came['error']}")
    return came["answer"]
