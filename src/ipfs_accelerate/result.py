"""What a call gives back: the outputs, and the truth about where and how fast they were made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Reused:
    """A tensor that was there already, and did not have to be computed."""

    name: str
    """the model or component, and its output"""
    size: int
    """its bytes"""
    saved_ms: float
    """what computing it had taken"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Result(Mapping[str, Any]):
    """One run's result: attributes, and the same names as a read-only mapping.

    `inference_time` is what the engine measured in seconds; `latency_ms` is the whole call as its
    caller saw it. `memory_usage_mb` is the model's weights as the worker holds them. `fell_back`
    names the operators that the platform lacks, and that ran on the CPU since that was allowed.
    `cached` is true where nothing ran, since the result was there or on its way already;
    `shared_tensors_used` are the tensors that this call, or that one, did not have to compute.
    """

    model_name: str
    model_type: str
    platform: str
    backend: str
    browser: str
    device: str
    output_tensors: Mapping[str, Any]
    inference_time: float
    latency_ms: float
    throughput_items_per_sec: float
    memory_usage_mb: float
    precision: str
    performance_metrics: Mapping[str, Any]
    cached: bool = False
    shared_tensors_used: tuple[Reused, ...] = ()
    fell_back: tuple[str, ...] = ()
    success: bool = True
    is_simulation: bool = False
    is_real_hardware: bool = False
    output: Any = field(default=None, repr=False)

    def __getitem__(self, name: str) -> Any:
        if name in _NAMES:
            return getattr(self, name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


_NAMES = tuple(one.name for one in fields(Result))
