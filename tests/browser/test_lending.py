"""On WebGPU a weight that two graphs have in common is held once, and their numbers stay."""

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]  # it ships no types
import pytest
from tests.unit.models.test_lending import OTHER, WIDE, X, model

from ipfs_accelerate import Accelerator


@pytest.fixture(scope="module", params=[True, False], ids=["shared", "unshared"])
def accelerator(request, shared_cache):
    options = {"cache_dir": shared_cache, "websocket_port": 0, "browser": "chromium"}
    with Accelerator(**options, platform="webgpu", share=request.param) as made:
        yield made


def tally(accelerator):
    (worker,) = accelerator._core._pool._workers.values()
    return accelerator._portal.call(worker.tally)


def test_graphs_that_differ_hold_their_common_weight_once(accelerator, tmp_path):
    names = {"Relu": WIDE, "Tanh": WIDE, "Sigmoid": OTHER}
    for name, weight in names.items():
        path = model(tmp_path / f"{name}.onnx", name, weight=weight)
        native = ort.InferenceSession(path).run(None, {"x": X})[0]
        for _ in range(2):  # as it was laid out first, and beside what came
            output = accelerator.run(path, {"x": X}, remember=False).output
            assert np.abs(output - native).max() < 1e-3
    held = 2 if accelerator._core.config.share else 3
    assert tally(accelerator)["weight_bytes"] == held * WIDE.nbytes
    for name in names:
        accelerator.unload(tmp_path / f"{name}.onnx")
    assert set(tally(accelerator).values()) == {0}
