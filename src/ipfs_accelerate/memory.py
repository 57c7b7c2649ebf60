"""Results that were computed before: given again, and never computed twice at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from ipfs_accelerate.remembered import Remembered
from ipfs_accelerate.result import Reused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ipfs_accelerate.result import Result


LEAST_BYTES = 4096
"""What a result takes beside its outputs: objects, metrics, the frame that it came in."""


class Memory:
    """The results of one accelerator, which no other one sees."""

    def __init__(self, most_bytes: int) -> None:
        self.results = Remembered["Result"](most_bytes)
        self._under_way: dict[str, asyncio.Future[Result | None]] = {}

    async def result(
        self, key: str, compute: Callable[[], Awaitable[Result]]
    ) -> tuple[Result, bool]:
        """The result of this name, and whether it was there or on its way already."""
        while True:
            if (entry := self.results.find(key)) is not None:
                return entry.value, True
            under_way = self._under_way.get(key)
            if under_way is None:
                return await self._compute(key, compute), False
            # None where whoever computed it gave up: then somebody else does.
            if (result := await asyncio.shield(under_way)) is not None:
                return result, True

    def forget(self, model: str) -> None:
        """Forget the results of the model of this key."""
        self.results.forget(lambda entry: entry.owner == model)

    async def _compute(self, key: str, compute: Callable[[], Awaitable[Result]]) -> Result:
        future = asyncio.get_running_loop().create_future()
        self._under_way[key] = future
        try:
            result = await compute()
        except Exception as error:
            future.set_exception(error)
            future.exception()  # whoever waits has it; where nobody does, that is no fault
            raise
        except BaseException:
            future.set_result(None)
            raise
        finally:
            del self._under_way[key]
        future.set_result(result)
        return result

    def keep(self, key: str, result: Result, owner: str) -> None:
        """Remember a result, which belongs to the model of this key."""
        size = LEAST_BYTES + sum(one.nbytes for one in result.output_tensors.values())
        took_ms = result.performance_metrics["inference_ms"]
        self.results.keep(key, result, owner, size=size, took_ms=took_ms)


def again(result: Result, latency_s: float) -> Result:
    """The result for somebody for whom nothing ran."""
    saved_ms = float(result.performance_metrics["inference_ms"])
    reused = tuple(
        Reused(f"{result.model_name}.{name}", one.nbytes, saved_ms / len(result.output_tensors))
        for name, one in result.output_tensors.items()
    )
    return replace(
        result,
        cached=True,
        inference_time=0.0,
        throughput_items_per_sec=0.0,
        latency_ms=latency_s * 1000,
        shared_tensors_used=reused,
        performance_metrics={
            **result.performance_metrics,
            **dict.fromkeys(("inference_ms", "engine_ms", "queued_ms", "readbacks"), 0.0),
            "latency_ms": latency_s * 1000,
            "reused": len(reused),
            "saved_ms": saved_ms,
            "saved_bytes": sum(one.size for one in reused),
        },
    )
