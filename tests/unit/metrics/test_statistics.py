"""Sums and their averages."""

from ipfs_accelerate.metrics.statistics import Statistics


def test_an_empty_start_divides_by_nothing() -> None:
    snapshot = Statistics().snapshot()
    assert snapshot["aggregate"] == {
        "avg_load_time": 0.0,
        "avg_inference_time": 0.0,
        "avg_throughput": 0.0,
        "avg_latency": 0.0,
        "total_models": 0,
        "platform_distribution": {},
        "total_memory_usage": 0,
    }
    assert Statistics().model("nobody")["runs"] == 0


def test_loads_and_runs_are_averaged_by_model_and_over_all() -> None:
    statistics = Statistics()
    statistics.loaded("a", "wasm", load_s=2.0, memory_mb=10)
    statistics.loaded("b", "wasm", load_s=4.0, memory_mb=30)
    statistics.ran("a", items=2, inference_s=0.5, latency_s=1.0)
    statistics.ran("a", items=4, inference_s=1.5, latency_s=2.0)
    assert statistics.model("a") == {
        "platform": "wasm",
        "loads": 1,
        "runs": 2,
        "items": 6,
        "avg_load_time": 2.0,
        "avg_inference_time": 1.0,
        "avg_latency": 1.5,
        "avg_throughput": 3.0,
        "memory_usage_mb": 10,
    }
    aggregate = statistics.snapshot()["aggregate"]
    assert aggregate["avg_load_time"] == 3.0
    assert aggregate["total_models"] == 2
    assert aggregate["platform_distribution"] == {"wasm": 2}
    assert aggregate["total_memory_usage"] == 40
    assert set(statistics.snapshot()["models"]) == {"a", "b"}
