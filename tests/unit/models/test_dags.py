from __future__ import annotations

import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from ipfs_accelerate import graph
from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import dags, onnx_file
from ipfs_accelerate.models.cid import cid_of
from ipfs_accelerate.models.dags import dag_of, turned
from ipfs_accelerate.models.turning import turned_bytes

WARM = """
import sys
from pathlib import Path
from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.dags import dag_of
store = BlockStore(Path(sys.argv[1]))
dag_of(resolve(sys.argv[2], store), store)
heavy = {"numpy", "onnx", "tokenizers", "asyncio"} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""


@pytest.fixture
def reads(monkeypatch):
    """The models that were read, and not recalled."""
    read, models = graph.read_dag, []

    def counted(model, turned):
        models.append(model)
        return read(model, turned)

    monkeypatch.setattr(graph, "read_dag", counted)
    return models


@pytest.fixture
def manifest(tmp_path, store, linear):
    onnx.save(linear(), tmp_path / "m.onnx")
    return onnx_file.read(tmp_path / "m.onnx", store)[0]


def test_a_model_is_read_once(manifest, store, reads):
    dag = dag_of(manifest, store)
    assert [node.operator for node in dag.nodes] == ["MatMul", "Add"]
    assert dag_of(manifest, store) == dag
    assert len(reads) == 1


def test_another_reader_reads_again(manifest, store, reads, monkeypatch):
    dag_of(manifest, store)
    monkeypatch.setattr(dags, "READER", dags.READER + 1)
    dag_of(manifest, store)
    assert len(reads) == 2


@pytest.mark.parametrize("data", [b"", b"{}", None], ids=["empty", "another", "gone"])
def test_what_is_kept_and_damaged_is_read_again(manifest, store, reads, data):
    dag = dag_of(manifest, store)
    kept = store.path(cid_of(dag.to_json()))
    if data is None:
        kept.unlink()
    else:
        kept.write_bytes(data)
    assert dag_of(manifest, store) == dag
    assert len(reads) == 2
    assert kept.is_file()


def test_a_known_model_loads_nothing_heavy(minilm, minilm_store):
    dag_of(minilm, minilm_store)
    subprocess.run([sys.executable, "-c", WARM, str(minilm_store.root), minilm.name], check=True)


def test_a_graph_that_cannot_be_read_is_named(tmp_path, store, model, monkeypatch):
    value = helper.make_tensor_value_info
    node = helper.make_node("Relu", ["missing"], ["y"])
    onnx.save(
        model(
            [node], [value("x", TensorProto.FLOAT, ["n"])], [value("y", TensorProto.FLOAT, ["n"])]
        ),
        tmp_path / "cut.onnx",
    )
    manifest, _ = onnx_file.read(tmp_path / "cut.onnx", store)
    with pytest.raises(ModelError, match="It is that of cut") as caught:
        dag_of(manifest, store)
    assert caught.value.details["model"] == "cut"
    assert caught.value.hint


def test_what_a_model_holds_only_turned_is_a_block(tmp_path, store, model, reads):
    weight = np.arange(2048, dtype=np.float32).reshape(32, 64)
    value = helper.make_tensor_value_info
    made = model(
        [
            helper.make_node("Transpose", ["W"], ["T"]),
            helper.make_node("MatMul", ["x", "T"], ["y"]),
        ],
        [value("x", TensorProto.FLOAT, ["n", 64])],
        [value("y", TensorProto.FLOAT, ["n", 32])],
        [numpy_helper.from_array(weight, "W")],
    )
    onnx.save(made, tmp_path / "m.onnx")
    manifest, _ = onnx_file.read(tmp_path / "m.onnx", store)
    dag = dag_of(manifest, store)
    (turned_weight,) = (one for one in dag.weights if one.turned_from)
    assert store.get(turned_weight.content) == weight.T.tobytes()
    store.path(turned_weight.content).unlink()
    assert dag_of(manifest, store) == dag
    assert store.has(turned_weight.content)
    assert len(reads) == 2


def test_the_cid_of_a_transpose_is_known_without_its_bytes(store, monkeypatch):
    matrix = np.arange(12, dtype=np.int16).reshape(3, 4)
    cid = store.put(matrix.tobytes()).cid
    other = turned(store)(cid, (3, 4), "int16")
    assert other == cid_of(matrix.T.tobytes())
    assert not store.has(other)
    monkeypatch.setattr(store, "view", None)
    assert turned(store)(cid, (3, 4), "int16") == other
    monkeypatch.undo()
    assert turned(store, keep=True)(cid, (3, 4), "int16") == other
    assert store.get(other) == matrix.T.tobytes()
    assert turned(store)(cid, (4, 3), "int16") != other


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (np.bool_, "bool"),
        (np.float16, "float16"),
        (np.float64, "float64"),
        (np.complex128, "complex128"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (ml_dtypes.int4, "int4"),
        (ml_dtypes.uint4, "uint4"),
        (ml_dtypes.int2, "int2"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@given(rows=st.integers(0, 5), columns=st.integers(0, 5))
def test_a_matrix_of_any_type_is_turned(dtype, name, rows, columns):
    array = (np.arange(rows * columns).reshape(rows, columns) % 3).astype(dtype)
    data = numpy_helper.from_array(array).raw_data
    wanted = numpy_helper.from_array(np.ascontiguousarray(array.T)).raw_data
    assert bytes(turned_bytes(data, (rows, columns), name)) == wanted
