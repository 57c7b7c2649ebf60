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


def test_what_did_not_run_is_counted_apart_from_what_did() -> None:
    statistics = Statistics()
    statistics.loaded("a", "wasm", load_s=2.0, memory_mb=10)
    statistics.ran("a", items=2, inference_s=0.5, latency_s=1.0)
    before = statistics.snapshot()
    assert before["remembered"] == {"hits": 0, "misses": 0, "saved_ms": 0, "saved_bytes": 0}
    statistics.missed()
    statistics.reused({"saved_ms": 5.5, "saved_bytes": 100, "latency_ms": 7.0})
    statistics.reused({"saved_ms": 1.5, "saved_bytes": 10})
    after = statistics.snapshot()
    assert after["remembered"] == {"hits": 2, "misses": 1, "saved_ms": 7.0, "saved_bytes": 110}
    assert after["aggregate"] == before["aggregate"]
    assert after["models"] == before["models"]


def test_a_snapshot_stays_as_it_was() -> None:
    statistics = Statistics()
    before = statistics.snapshot()
    statistics.missed()
    assert before["remembered"]["misses"] == 0
