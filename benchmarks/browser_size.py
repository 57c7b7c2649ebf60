"""The size of a running browser, once it has stopped to change, and a base to take it from."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import sleep
from typing import TYPE_CHECKING, Self

import numpy as np
import psutil
from onnx import TensorProto, helper, save

from benchmarks.memory_sampler import megabytes
from ipfs_accelerate.browsers import find_browser
from ipfs_accelerate.browsers.memory import tree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# A young page gives some 35 MB of compiling back after about 30 s: a base taken before that would
# hide as much of the model.
BASE_S = 40.0
# Settled: this long without a change of more than this, and at most so long.
STILL_S, STILL_MB, PATIENCE_S = 5.0, 1.0, 30.0
QUICK_STILL_S = 1.0
LOOK_EVERY_S = 0.25


@dataclass(slots=True)
class BrowserSize:
    """A browser of this process, and how many others' processes there were at each look."""

    pid: int
    program: str
    still_s: float
    strangers: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, browser: str | None, *, quick: bool) -> Self:
        """The one browser of this kind that runs under this process."""
        program = str(find_browser(browser).path)
        for child in psutil.Process().children():
            if child.exe() == program:
                return cls(child.pid, program, QUICK_STILL_S if quick else STILL_S)
        raise RuntimeError("The accelerator's browser is not among this process's children.")

    @property
    def undisturbed(self) -> bool:
        """Whether as many processes of other browsers shared its code pages at every look."""
        return len(set(self.strangers)) <= 1

    def settled(self) -> float:
        """The size in MB once it has stopped to change."""
        sizes = [megabytes(self.pid)]
        needed = round(self.still_s / LOOK_EVERY_S)
        for _ in range(round(PATIENCE_S / LOOK_EVERY_S)):
            sleep(LOOK_EVERY_S)
            sizes.append(megabytes(self.pid))
            last = sizes[-needed:]
            if len(last) == needed and max(last) - min(last) <= STILL_MB:
                break
        self.strangers.append(self._strangers())
        return float(np.median(sizes[-needed:]))

    def _strangers(self) -> int:
        """How many processes of the same program belong to another browser."""
        ours = set(tree(self.pid))
        everyone = psutil.process_iter(["pid", "exe"])
        return sum(
            one.info["exe"] == self.program and one.info["pid"] not in ours for one in everyone
        )


def on_strangers(sizes: Iterable[BrowserSize]) -> str:
    """Whether other browsers may have changed what was measured, in words."""
    counts = [count for one in sizes for count in one.strangers]
    if not any(counts):
        return "no other browser of this program ran meanwhile"
    return (
        f"{min(counts)} to {max(counts)} processes of other browsers shared this one's code pages: "
        "where that changed, the figures are wrong; measure again alone"
    )


def tiny_model(path: Path) -> Path:
    """A model that has the runtime compiled and ready, and holds nothing."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in ("x", "y")]
    node = helper.make_node("Identity", ["x"], ["y"])
    graph = helper.make_graph([node], "tiny", ends[:1], ends[1:])
    opset = helper.make_opsetid("", 17)
    save(helper.make_model(graph, opset_imports=[opset], ir_version=8), str(path))
    return path
