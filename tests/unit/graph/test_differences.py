from __future__ import annotations

from tests.unit.graph.built import FLOAT, INT32, INT64, array, dag, node, port

from ipfs_accelerate.graph import differences as module
from ipfs_accelerate.graph.differences import differences


def between(mine, yours, weights=(), inputs=("x", "x")):
    one, other = (
        dag(nodes, weights, [port_], more=[("m", 1)])
        for nodes, port_ in zip((mine, yours), inputs, strict=True)
    )
    return differences(("a", "b"), one, other)


WEIGHTS = [array("v", 4, 4), array("w", 4, 4, seed=1), array("c", 4)]


def test_equal_models_do_not_differ():
    nodes = [node("MatMul", "x v", "y")]
    assert between(nodes, nodes, WEIGHTS) == []


def test_other_weights_are_named():
    tail = node("Sigmoid", "m", "y")
    mine = [node("MatMul", "x v", "m"), tail]
    (found,) = between(mine, [node("MatMul", "x w", "m"), tail], WEIGHTS)
    assert (found.models, found.reason, found.operator, found.count) == (
        ("a", "b"),
        "other weights",
        "MatMul",
        1,
    )
    assert found.weights[0].startswith("float32[4, 4] bafkrei")


def test_equal_causes_are_counted():
    mine = [node("MatMul", "x v", "m"), node("MatMul", "x d", "n"), node("Sub", "m n", "y")]
    (found,) = between(mine, [node("MatMul", "x w", "y")], [*WEIGHTS, array("d", 4, 4, seed=9)])
    assert found.count == 2
    assert len(found.weights) == 2


def test_another_operator_and_what_stands_there():
    (found,) = between([node("Relu", "x", "y")], [node("Abs", "x", "y")])
    assert (found.reason, found.instead) == ("another operator", ("Abs",))
    (mine,) = between([node("Mine", "x", "y", domain="m")], [node("Abs", "x", "y")])
    assert mine.reason == "another operator"
    assert (
        between([node("Relu", "x", "z"), node("Neg", "z", "y")], [node("Relu", "x", "y")])[
            0
        ].instead
        == ()
    )


def test_other_attributes():
    mine, yours = ([node("Softmax", "x", "y", axis=axis)] for axis in (0, 1))
    assert between(mine, yours)[0].reason == "other attributes"


def test_other_inputs_of_the_model_are_named():
    nodes = [node("Cast", "x", "y", to=FLOAT)]
    (found,) = between(nodes, nodes, inputs=[port("x", INT32), port("x", INT64)])
    assert (found.reason, found.inputs) == ("other inputs", ("x: int32",))


def test_other_inputs():
    mine, yours = [node("Sub", "x c", "y")], [node("Sub", "c x", "y")]
    assert between(mine, yours, WEIGHTS)[0].reason == "other inputs"
    fewer = [node("Clip", "x _ k", "y")]
    assert between(fewer, [node("Clip", "x k", "y")], [array("k")])[0].reason == "other inputs"
    parts = [node("Relu", "x", "r"), node("Exp", "x", "e")]
    mine = [*parts, node("Add", "r e", "y")]
    yours = [*parts, node("Add", "r x", "a"), node("Add", "a e", "y")]
    assert between(mine, yours)[0].reason == "other inputs"


def test_what_is_random_is_never_shared():
    nodes = [node("RandomNormalLike", "x", "r"), node("Add", "r x", "y")]
    assert {one.reason for one in between(nodes, nodes)} == {"not repeatable"}


def test_what_is_made_of_weights_alone():
    mine = [node("Neg", "c", "n"), node("Add", "n x", "y")]
    yours = [node("Exp", "c", "n"), node("Add", "n x", "y")]
    (found,) = between(mine, yours, WEIGHTS)
    assert (found.operator, found.instead) == ("Neg", ("Exp",))


def test_of_many_users_a_few_are_looked_at(monkeypatch):
    monkeypatch.setattr(module, "_MOST_USERS", 1)
    yours = [
        node("Abs", "x", "a"),
        node("Relu", "a", "r"),
        node("Neg", "x", "n"),
        node("Add", "r n", "y"),
    ]
    (found,) = between([node("Exp", "x", "y")], yours)
    assert found.instead == ("Abs",)
