"""A result: attributes, and the same names as a mapping."""

import dataclasses

import pytest

from ipfs_accelerate.result import Result, Reused

RESULT = Result(
    model_name="m",
    model_type="tensors",
    platform="wasm",
    backend="wasm",
    browser="chromium",
    device="cpu",
    output_tensors={"y": 1},
    output=1,
    inference_time=0.5,
    latency_ms=600.0,
    throughput_items_per_sec=2.0,
    memory_usage_mb=1.0,
    precision="fp32",
    performance_metrics={},
)

# CONTRACT: what every result has.
NAMES = [
    "success",
    "model_name",
    "model_type",
    "platform",
    "backend",
    "browser",
    "is_real_hardware",
    "is_simulation",
    "output",
    "output_tensors",
    "inference_time",
    "latency_ms",
    "throughput_items_per_sec",
    "memory_usage_mb",
    "precision",
    "performance_metrics",
    "shared_tensors_used",
    "fell_back",
    "device",
    "cached",
]


def test_every_promised_name_is_an_attribute_and_a_key() -> None:
    assert set(RESULT) == set(NAMES)
    assert len(RESULT) == len(NAMES)
    for name in NAMES:
        assert RESULT[name] is getattr(RESULT, name)
    assert dict(RESULT)["output"] == 1
    assert "output" in RESULT
    assert "nothing" not in RESULT


def test_it_can_not_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        RESULT.success = False  # type: ignore[misc]  # that it is refused is the test
    with pytest.raises(TypeError):
        RESULT["success"] = False  # type: ignore[index]  # likewise


def test_another_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        RESULT["items"]


def test_what_it_did_not_have_to_compute_is_named_with_what_that_saved() -> None:
    assert (RESULT.cached, RESULT.shared_tensors_used) == (False, ())
    reused = Reused("encoder.y", 16, 2.5)
    given = dataclasses.replace(RESULT, cached=True, shared_tensors_used=(reused,))
    assert given["shared_tensors_used"] == (Reused(name="encoder.y", size=16, saved_ms=2.5),)
