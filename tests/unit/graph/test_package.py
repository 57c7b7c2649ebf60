import subprocess
import sys

import pytest

from ipfs_accelerate import graph


def test_planning_a_known_model_loads_no_onnx():
    code = (
        "import sys; from ipfs_accelerate.graph import Dag, explain, partition, picture; "
        "print({'onnx', 'numpy'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_every_name_is_there_and_no_other():
    assert all(getattr(graph, name) is not None for name in graph.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = graph.nothing
