"""Cases of one small operator, and results that a test makes up for them."""

import numpy as np

from ipfs_accelerate.result import Result
from ipfs_accelerate.validate.cases import Case

RIGHT = np.arange(6, dtype=np.float32).reshape(2, 3)


def case(name="gelu", **more):
    given = {"operators": ("Gelu",), "model": f"{name}.onnx", "inputs": {}, "right": {"y": RIGHT}}
    return Case(name=name, **{**given, **more})


def result(computed=RIGHT, **more):
    given = {
        "model_name": "m",
        "model_type": "tensors",
        "platform": "webgpu",
        "backend": "webgpu",
        "browser": "chromium",
        "device": "gpu",
        "output_tensors": {"y": computed},
        "inference_time": 0.001,
        "latency_ms": 1.0,
        "throughput_items_per_sec": 1.0,
        "memory_usage_mb": 0.0,
        "precision": "fp32",
        "performance_metrics": {},
    }
    return Result(**{**given, **more})
