"""From a worker's answer to a Result: the outputs, where they were made, and how long that took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ipfs_accelerate.pool.platforms import HARDWARE
from ipfs_accelerate.result import Result, Reused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.calls import Call
    from ipfs_accelerate.pool import Loaded, Worker
    from ipfs_accelerate.pool.plan import Plan
    from ipfs_accelerate.server import Answer


def result_of(
    call: Call, plan: Plan, answer: Answer, worker: Worker, loaded: Loaded, *, latency_s: float
) -> Result:
    """The answer as the caller sees it."""
    platform, value = loaded.ability.platform, answer.value
    fetched = call.outputs(answer.tensors, platform)
    kept = call.kept(value, worker.number)
    outputs = {one.name: (fetched | kept)[one.name] for one in call.manifest.outputs}
    inference_s = _computed_ms(value, platform) / 1000 if plan.ran else 0.0
    return Result(
        model_name=call.manifest.name,
        model_type=call.manifest.task,
        platform=platform,
        backend=loaded.backend,
        browser=worker.browser_name,
        device=loaded.device,
        is_real_hardware=loaded.device in HARDWARE,
        output_tensors=outputs,
        output=next(iter(outputs.values())) if len(outputs) == 1 else outputs,
        inference_time=inference_s,
        latency_ms=latency_s * 1000,
        throughput_items_per_sec=call.items / inference_s if inference_s else 0.0,
        memory_usage_mb=loaded.weight_bytes / 1e6,
        precision=call.manifest.precision,
        cached=not plan.ran,
        shared_tensors_used=tuple(Reused(one.name, one.size, one.saved_ms) for one in plan.hits),
        fell_back=loaded.fell_back,
        performance_metrics={
            "inference_ms": inference_s * 1000,
            "engine_ms": value["total_ms"],
            "queued_ms": value["queued_ms"],
            "latency_ms": latency_s * 1000,
            "readbacks": value["readbacks"],
            "load_ms": loaded.load_s * 1000,
            "items": call.items,
            "reused": len(plan.hits),
            "saved_ms": sum(one.saved_ms for one in plan.hits),
            "saved_bytes": sum(one.size for one in plan.hits),
        },
    )


def _computed_ms(value: Mapping[str, Any], platform: str) -> float:
    # A GPU's run returns before its work is done: the wait for it belongs to the computation.
    waited_ms = value["fetch_ms"] if platform != "wasm" else 0.0
    return float(sum(one["run_ms"] for one in value["steps"]) + waited_ms)
