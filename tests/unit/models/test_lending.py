"""Weights that several graphs have in common become inputs of each, and the value stays."""

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]  # it ships no types
import pytest
from onnx import TensorProto, helper, load, numpy_helper, save

from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.components import components_of, held_bytes, whole
from ipfs_accelerate.models.lending import LEAST_BYTES, lend

DICE = np.random.default_rng(0)
WIDE = DICE.standard_normal((160, 160)).astype(np.float32)
OTHER = DICE.standard_normal((160, 160)).astype(np.float32)
X = DICE.standard_normal((2, 160)).astype(np.float32)


@pytest.fixture
def store(tmp_path):
    return BlockStore(tmp_path / "store")


def model(path, operator, *, weight=WIDE, takes="MatMul", more=()):
    """`operator` of x, then a product with the weight."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 160])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    nodes = [
        helper.make_node(operator, ["x"], ["a"]),
        helper.make_node(takes, ["a", "w"], ["y"]),
        *more,
    ]
    graph = helper.make_graph(nodes, "g", [x], [y], [numpy_helper.from_array(weight, "w")])
    opset = [helper.make_opsetid("", 17)]
    save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)
    return path


def laid(store, *paths):
    return {path.stem: whole(resolve(path, store)) for path in paths}


def component(layouts, name):
    return layouts[name].stages[0].component


def test_an_equal_weight_of_two_graphs_is_lent_to_both(store, tmp_path):
    paths = [model(tmp_path / f"{name}.onnx", name) for name in ("Relu", "Tanh")]
    layouts = lend(laid(store, *paths), store)
    for name in ("Relu", "Tanh"):
        one = component(layouts, name)
        assert one.weights == ()
        assert [(lent.input, lent.shape, lent.dtype) for lent in one.lent] == [
            ("w", (160, 160), "F32")
        ]
        assert one.weight_bytes == WIDE.nbytes
    assert held_bytes(components_of(layouts.values()).values()) == WIDE.nbytes


def test_the_graph_that_takes_it_gives_the_same_value(store, tmp_path):
    paths = [model(tmp_path / f"{name}.onnx", name) for name in ("Relu", "Tanh")]
    layouts = lend(laid(store, *paths), store)
    for path in paths:
        file = store.path(component(layouts, path.stem).graph.cid)
        (lent,) = ort.InferenceSession(file).run(None, {"x": X, "w": WIDE})
        (own,) = ort.InferenceSession(path).run(None, {"x": X})
        assert np.abs(lent - own).max() < 1e-4  # a weight of its own is packed, and summed so


def test_a_weight_of_one_graph_stays_its_own(store, tmp_path):
    one = model(tmp_path / "Relu.onnx", "Relu")
    two = model(tmp_path / "Tanh.onnx", "Tanh", weight=OTHER)
    before = laid(store, one, two)
    assert lend(before, store) == before


def test_what_is_small_stays_inside(store, tmp_path):
    small = WIDE[:, : LEAST_BYTES // (160 * 4) - 1].copy()
    paths = [model(tmp_path / f"{name}.onnx", name, weight=small) for name in ("Relu", "Tanh")]
    before = laid(store, *paths)
    assert lend(before, store) == before


def test_a_use_that_a_fusion_might_fold_keeps_it_inside(store, tmp_path):
    paths = [model(tmp_path / f"{name}.onnx", name, takes="Mul") for name in ("Relu", "Tanh")]
    before = laid(store, *paths)
    assert [component(lend(before, store), one.stem).lent for one in paths] == [(), ()]
    assert lend(before, store) == before


def test_a_graph_with_graphs_inside_is_left_as_it_is(store, tmp_path):
    then = helper.make_graph(
        [helper.make_node("Identity", ["w"], ["z"])],
        "then",
        [],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, None)],
    )
    condition = helper.make_node(
        "Constant",
        [],
        ["c"],
        value=numpy_helper.from_array(np.array(True)),  # noqa: FBT003
    )
    chosen = helper.make_node("If", ["c"], ["unused"], then_branch=then, else_branch=then)
    one = model(tmp_path / "Relu.onnx", "Relu", more=(condition, chosen))
    two = model(tmp_path / "Tanh.onnx", "Tanh")
    layouts = lend(laid(store, one, two), store)
    assert component(layouts, "Relu").lent == ()


def test_what_was_lent_is_lent_to_a_third_and_stays_as_it_is(store, tmp_path):
    paths = [model(tmp_path / f"{name}.onnx", name) for name in ("Relu", "Tanh", "Sigmoid")]
    two = lend(laid(store, *paths[:2]), store)
    three = lend({**two, **laid(store, paths[2])}, store)
    assert {name: three[name] for name in two} == two
    assert [one.cid for one in component(three, "Sigmoid").lent] == [
        one.cid for one in component(two, "Relu").lent
    ]


def test_a_file_that_was_changed_before_is_taken_from_the_store(store, tmp_path, monkeypatch):
    paths = [model(tmp_path / f"{name}.onnx", name) for name in ("Relu", "Tanh")]
    first = lend(laid(store, *paths), store)
    monkeypatch.setattr("ipfs_accelerate.models.lending._make", None)
    assert lend(laid(store, *paths), store) == first
    assert {
        value.name for value in load(store.path(component(first, "Relu").graph.cid)).graph.input
    } == {
        "x",
        "w",
    }
