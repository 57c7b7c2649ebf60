from onnx import helper
from tests.unit.graph.built import array, node, port

from ipfs_accelerate.graph.scopes import captured


def test_only_what_a_graph_does_not_make_itself_is_captured():
    inmost = helper.make_graph([node("Add", "outer i", "deep")], "g", [], [port("deep")])
    inner = helper.make_graph(
        [
            node("Add", "i w", "m"),
            node("If", "flag", "r", then_branch=inmost),
            node("Clip", "m _ top", "o"),
        ],
        "g",
        [port("i")],
        [port("o"), port("straight")],
        [array("w", 2)],
        sparse_initializer=[],
    )
    found = captured(node("Loop", "n go", "out", body=inner, other=1))
    assert list(found) == ["flag", "outer", "top", "straight"]
    assert not captured(node("Relu", "x", "y"))
