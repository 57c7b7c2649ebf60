"""The ways to run MiniLM that are compared: in a browser through the product, and natively."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.platform_models import FP32, INT8
from ipfs_accelerate import AsyncAccelerator

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from benchmarks.setting import Setting

    Feeds = Mapping[str, NDArray[Any]]
    Run = Callable[[Feeds], Awaitable["Ran"]]

BROWSER = "portable"
PLACES = (("webnn", 1), ("wasm", 1), ("wasm", 2))
"""Each platform with its WASM threads, of which WebNN's own computing takes no notice."""
NATIVE_THREADS = (1, 2)
IDLE_S = 0.01
"""What native onnxruntime's threads, which spin after a run, are given to end it."""


class Ran(NamedTuple):
    """One call: what the engine measured of its run, the whole of it, and the vectors."""

    engine_ms: float
    call_ms: float
    vectors: NDArray[np.float32]


@dataclass(frozen=True)
class Side:
    """A way to run one precision of the model."""

    where: str
    precision: str
    run: Run
    threads: int
    native: bool = False

    @property
    def name(self) -> str:
        """As the tables call it."""
        return f"{self.where} {self.precision}"


@asynccontextmanager
async def all_sides(setting: Setting, models: Mapping[str, Path]) -> AsyncIterator[list[Side]]:
    """Every side, each in a browser of its own that stays open."""
    async with AsyncExitStack() as stack:
        sides = []
        for platform, threads in PLACES:
            accelerator = AsyncAccelerator(**options_of(setting, platform, threads))
            await stack.enter_async_context(accelerator)
            for precision in precisions(platform):
                run = through(accelerator, models[precision], platform)
                sides.append(Side(place_name(platform, threads), precision, run, threads))
        sides += [natively(models, one, n) for one in (FP32, INT8) for n in NATIVE_THREADS]
        yield sides


def options_of(setting: Setting, platform: str, threads: int) -> dict[str, Any]:
    """The accelerator's options for a platform, which decides onnxruntime-web's build too."""
    own = {"browser": BROWSER, "platform": platform, "threads": threads}
    return {**setting.options, **own}


def precisions(platform: str) -> tuple[str, ...]:
    """What is worth timing: WebNN takes int8 apart into floats, which takes it three times fp32's.

    See docs/benchmarks.md.
    """
    return (FP32,) if platform == "webnn" else (FP32, INT8)


def place_name(platform: str, threads: int) -> str:
    """A platform with its threads, where those are ours to choose."""
    return platform if platform == "webnn" else f"{platform} {threads}"


def through(accelerator: AsyncAccelerator, model: Path, platform: str) -> Run:
    """A call of the product, which must have run where it was to run, and have run."""

    async def run(inputs: Feeds) -> Ran:
        began = perf_counter()
        result = await accelerator.run(model, inputs)
        call_ms = (perf_counter() - began) * 1000
        if result.platform != platform or result.fell_back or result.cached:
            raise RuntimeError(f"It did not run as asked: {result}")
        return Ran(result.inference_time * 1000, call_ms, result.output)

    return run


def natively(
    models: Mapping[str, Path], precision: str, threads: int, idle_s: float = IDLE_S
) -> Side:
    """A side in this process, with onnxruntime's own defaults but for its threads."""
    session = native_session(models[precision], threads)

    async def run(inputs: Feeds) -> Ran:
        began = perf_counter()
        (vectors,) = session.run(None, inputs)
        took_ms = (perf_counter() - began) * 1000
        await asyncio.sleep(idle_s)
        return Ran(took_ms, took_ms, vectors)

    return Side(f"native {threads}", precision, run, threads, native=True)


def native_session(model: Path, threads: int) -> Any:
    """Native onnxruntime, told not to report what it runs."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - after it was told

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
