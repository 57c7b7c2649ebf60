"""Models of the store as DAGs, each read once: a known one costs no import of onnx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.graph import Dag
from ipfs_accelerate.models.cid import cid_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ipfs_accelerate.models.blocks import BlockStore
    from ipfs_accelerate.models.manifest import Manifest

READER = 1
"""Raised whenever a graph gets other digests, so that it is read anew."""


def dag_of(manifest: Manifest, store: BlockStore) -> Dag:
    """Give the model's DAG, from the store or read from the model's graph."""
    key = f"dag {manifest.graph.cid} by {READER}"
    dag = _recall(key, store)
    if dag is None:
        dag = _read(manifest, store)
        store.remember(key, store.put(dag.to_json()).cid)
    return dag


def turned(store: BlockStore, *, keep: bool = False) -> Callable[[str, tuple[int, ...], str], str]:
    """Say what CID the transpose of a matrix has, whose own CID, shape and dtype are given.

    With `keep` the transpose is in the store then, as a block.
    """

    def turn(cid: str, shape: tuple[int, ...], dtype: str) -> str:
        key = f"turned {cid} {'x'.join(map(str, shape))} {dtype}"
        known = store.recall(key)
        if known is not None and (not keep or store.has(known)):
            return known
        # What is known costs no import of NumPy either.
        from ipfs_accelerate.models.turning import turned_bytes  # noqa: PLC0415 - as said

        data = turned_bytes(store.view(cid), shape, dtype)
        found = store.put(data).cid if keep else cid_of(data)
        store.remember(key, found)
        return found

    return turn


def _recall(key: str, store: BlockStore) -> Dag | None:
    cid = store.recall(key)
    if cid is None:
        return None
    try:
        dag = Dag.from_json(store.get(cid))
    except ModelError:  # damaged, gone, or of another format
        return None
    # A part asks for what the model holds only turned, so it has to be there too.
    made = [one.content for one in dag.weights if one.turned_from is not None]
    return dag if all(map(store.has, made)) else None


def _read(manifest: Manifest, store: BlockStore) -> Dag:
    from onnx import load_from_string  # noqa: PLC0415 - 0.3 s, and what is known needs it not

    from ipfs_accelerate.graph import read_dag  # noqa: PLC0415 - as above

    model = load_from_string(store.get(manifest.graph.cid))
    try:
        return read_dag(model, turned(store, keep=True))
    except ModelError as error:
        raise ModelError(
            f"{error.message} It is that of {manifest.name}.",
            code=error.code,
            hint=error.hint,
            details={**error.details, "model": manifest.name},
        ) from error
