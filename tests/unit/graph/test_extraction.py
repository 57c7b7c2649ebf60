from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from tests.unit.graph.built import FLOAT, array, linear, model, node, port, run

from ipfs_accelerate.graph import Costs, extract, inner_blocks, partition, read_dag
from ipfs_accelerate.graph.digests import cid_of

ANYTHING = Costs(least_bytes=1, least_work_share=0)


def parts(**models):
    dags = {key: read_dag(one) for key, one in models.items()}
    plan = partition(dags, ANYTHING).models
    return {key: [(models[key], dags[key], part) for part in plan[key]] for key in models}


def test_equal_parts_have_the_same_bytes():
    found = parts(a=linear(seed=1), b=linear("other", seed=2, rows="rows"))
    one, other = (extract(*found[key][0]).SerializeToString(deterministic=True) for key in "ab")
    assert one == other


def test_large_weights_become_blocks():
    what, _ = parts(a=linear(seed=1), b=linear(seed=2))["a"]
    made, blocks = extract(*what), dict(inner_blocks(*what))
    (tensor,) = (one for one in made.graph.initializer if one.external_data)
    ((cid, data),) = blocks.items()
    assert tensor.external_data[0].value == cid == cid_of(data)
    assert made.graph.name == what[2].digest
    assert len(made.SerializeToString()) < 2000


def test_a_whole_model_is_itself():
    made = model([node("Relu", "x", "y"), node("Identity", "x", "z")], outputs=["y", "z"])
    (what,) = parts(a=made)["a"]
    assert extract(*what) is made
    assert list(inner_blocks(*what)) == []


def alone(made, **feeds):
    """Run a model as its one part, whose weights are small."""
    (what,) = parts(a=made)["a"]
    (result,) = what[2].outputs
    given = {one.name: feeds[one.input].astype(one.dtype) for one in what[2].inputs}
    extracted = extract(*what)
    np.testing.assert_array_equal(run(extracted, **given)[0], run(made, **feeds)[0])
    assert result.outputs == ("y",)
    return extracted


X = np.random.default_rng(0).standard_normal((2, 4)).astype(np.float32)


def test_graphs_within_nodes_are_taken_along():
    def inner(name):
        nodes = [node("Add", f"relu {name}w", f"{name}i"), node("Mul", f"{name}i one", f"{name}o")]
        return helper.make_graph(
            nodes, name, [], [port(f"{name}o", FLOAT, None)], [array(f"{name}w", 4)]
        )

    nodes = [
        node("Relu", "x", "relu"),
        node("Identity", "unit", "one"),
        node("If", "flag", "y", then_branch=inner("a"), else_branch=inner("b")),
    ]
    made = model(nodes, [array("unit", seed=4)], ["x", port("flag", 9, [])])
    extracted = alone(made, x=X, flag=np.asarray(np.bool_(1)))
    assert "relu" not in str(extracted)


def test_strings_and_scalars():
    nodes = [
        node("Gather", "words at", "word"),
        node("Equal", "word other", "same"),
        node("Where", "same x k", "y"),
    ]
    words = TensorProto(
        name="words", data_type=TensorProto.STRING, dims=[2], string_data=[b"a", b"b"]
    )
    other = TensorProto(name="other", data_type=TensorProto.STRING, string_data=[b"b"])
    at = numpy_helper.from_array(np.array(1), "at")
    alone(model(nodes, [words, other, at, array("k")]), x=X)


def test_a_turned_weight_of_the_graph_is_written_turned():
    nodes = [node("Transpose", "w", "t"), node("MatMul", "x t", "y")]
    extracted = alone(model(nodes, [array("w", 6, 4)]), x=X)
    assert [one.op_type for one in extracted.graph.node] == ["MatMul"]
    big = model(nodes, [array("w", 600, 4)])
    ((_, data),) = inner_blocks(*parts(a=big)["a"][0])
    assert data == np.ascontiguousarray(numpy_helper.to_array(big.graph.initializer[0]).T).tobytes()


@pytest.mark.parametrize("opset", [11, 13, 18, 21])
def test_each_opset_keeps_its_meaning(opset):
    alone(model([node("Softmax", "x", "s"), node("Relu", "s", "y")], opset=opset), x=X)


def test_a_scalar_input_is_one():
    made = model([node("Neg", "x", "y")], inputs=[port("x", FLOAT, [])])
    shape = alone(made, x=np.array(3, np.float32)).graph.input[0].type.tensor_type
    assert shape.HasField("shape")
    free = model([node("Neg", "x", "y")], inputs=[port("x", FLOAT, None)])
    assert not alone(free, x=X).graph.input[0].type.tensor_type.HasField("shape")
