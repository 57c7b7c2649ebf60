from __future__ import annotations

from onnx import helper, shape_inference
from tests.unit.graph.built import FLOAT, array, model, node, port

from ipfs_accelerate.graph.dag import Value
from ipfs_accelerate.graph.shapes import known_values, value_of


def test_what_is_inferred_and_what_is_declared():
    made = model(
        [node("MatMul", "x w", "m"), node("Mine", "m", "y", domain="d")],
        [array("w", 4, 7)],
        more=[("d", 1)],
    )
    assert known_values(made) == {
        "x": Value("float32", ("n", 4)),
        "m": Value("float32", ("n", 7)),
        "y": Value("float32", None),
    }


def test_dimensions():
    assert value_of(port("x", FLOAT, [3, "n", None, -1, "unk__0"])).shape == (
        3,
        "n",
        None,
        None,
        None,
    )
    assert value_of(port("x", FLOAT, [])).shape == ()
    assert value_of(helper.make_tensor_sequence_value_info("s", FLOAT, None)) == Value(None, None)


def test_what_cannot_be_inferred_is_not_known(monkeypatch):
    monkeypatch.setattr(shape_inference, "infer_shapes", lambda *_, **__: 1 / 0)
    made = model([node("Relu", "x", "r"), node("Neg", "r", "y")])
    assert known_values(made).keys() == {"x", "y"}
