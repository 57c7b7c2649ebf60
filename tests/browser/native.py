"""Native onnxruntime, which a browser's numbers are held against."""

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # it has no types


def run(path, feeds):
    """The outputs of the model at this path, by name."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    plain = {name: np.array(one, one.dtype.newbyteorder("=")) for name, one in feeds.items()}
    return dict(zip(names, session.run(names, plain), strict=True))
