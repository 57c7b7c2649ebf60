"""Sums over what was measured, by model. Pure: figures come in, nothing is timed here."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(slots=True)
class ModelFigures:
    """One model's sums."""

    platform: str = ""
    loads: int = 0
    load_s: float = 0.0
    runs: int = 0
    items: int = 0
    inference_s: float = 0.0
    latency_s: float = 0.0
    memory_mb: float = 0.0

    def snapshot(self) -> dict[str, Any]:
        """The model's averages; those that nothing was measured for are 0."""
        return {
            "platform": self.platform,
            "loads": self.loads,
            "runs": self.runs,
            "items": self.items,
            "avg_load_time": _ratio(self.load_s, self.loads),
            "avg_inference_time": _ratio(self.inference_s, self.runs),
            "avg_latency": _ratio(self.latency_s, self.runs),
            "avg_throughput": _ratio(self.items, self.inference_s),
            "memory_usage_mb": self.memory_mb,
        }


class Statistics:
    """The figures of every load and run since the start. Times are in seconds."""

    def __init__(self) -> None:
        self._models: dict[str, ModelFigures] = {}
        self._remembered: dict[str, float] = dict.fromkeys(
            ("hits", "misses", "saved_ms", "saved_bytes"), 0
        )

    def loaded(self, model: str, platform: str, *, load_s: float, memory_mb: float) -> None:
        """A worker loaded a model."""
        figures = self._models.setdefault(model, ModelFigures())
        figures.platform = platform
        figures.loads += 1
        figures.load_s += load_s
        figures.memory_mb = memory_mb

    def ran(self, model: str, *, items: int, inference_s: float, latency_s: float) -> None:
        """A run of `items` inputs ended well."""
        figures = self._models.setdefault(model, ModelFigures())
        figures.runs += 1
        figures.items += items
        figures.inference_s += inference_s
        figures.latency_s += latency_s

    def missed(self) -> None:
        """A result that could have been remembered had to be computed."""
        self._remembered["misses"] += 1

    def reused(self, metrics: Mapping[str, float]) -> None:
        """Nothing, or not all, had to be computed for a result. No timing knows of it."""
        self._remembered["hits"] += 1
        self._remembered["saved_ms"] += metrics["saved_ms"]
        self._remembered["saved_bytes"] += metrics["saved_bytes"]

    def model(self, name: str) -> dict[str, Any]:
        """One model's figures."""
        return self._models.get(name, ModelFigures()).snapshot()

    def snapshot(self) -> dict[str, Any]:
        """`aggregate` over all models, and each of the `models`."""
        every = list(self._models.values())
        loads, runs = sum(one.loads for one in every), sum(one.runs for one in every)
        inference_s = sum(one.inference_s for one in every)
        return {
            "aggregate": {
                "avg_load_time": _ratio(sum(one.load_s for one in every), loads),
                "avg_inference_time": _ratio(inference_s, runs),
                "avg_throughput": _ratio(sum(one.items for one in every), inference_s),
                "avg_latency": _ratio(sum(one.latency_s for one in every), runs),
                "total_models": len(every),
                "platform_distribution": dict(Counter(one.platform for one in every)),
                "total_memory_usage": sum(one.memory_mb for one in every),
            },
            "models": {name: one.snapshot() for name, one in self._models.items()},
            "remembered": dict(self._remembered),
        }


def _ratio(total: float, count: float) -> float:
    return total / count if count else 0.0
