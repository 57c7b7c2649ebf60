"""Models as Merkle DAGs: what they share is found, where to cut is planned, parts are taken out.

    dag = read_dag(model)                                    # the model's nodes under digests
    plan = partition({"one": dag, "two": other})             # parts, equal ones under one digest
    extract(model, dag, plan.models["one"][0])               # a part's own ONNX file
    explain({"one": dag, "two": other}).lines()              # and why not more is shared

Pure, but for reading and extracting, which load onnx when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.graph.dag import Dag, Node, Output, Port, Value, Weight
from ipfs_accelerate.graph.explanation import Difference, Explanation, Shared, Total
from ipfs_accelerate.graph.parts import MEASURED, Costs, Part, Partition, Result, Source

if TYPE_CHECKING:
    from ipfs_accelerate.graph.comparing import explain
    from ipfs_accelerate.graph.cutting import partition
    from ipfs_accelerate.graph.drawing import picture
    from ipfs_accelerate.graph.extraction import extract, inner_blocks
    from ipfs_accelerate.graph.reader import read_dag

_HOME = {
    "explain": "comparing",
    "extract": "extraction",
    "inner_blocks": "extraction",
    "partition": "cutting",
    "picture": "drawing",
    "read_dag": "reader",
}

__all__ = [
    "MEASURED",
    "Costs",
    "Dag",
    "Difference",
    "Explanation",
    "Node",
    "Output",
    "Part",
    "Partition",
    "Port",
    "Result",
    "Shared",
    "Source",
    "Total",
    "Value",
    "Weight",
    "explain",
    "extract",
    "inner_blocks",
    "partition",
    "picture",
    "read_dag",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
