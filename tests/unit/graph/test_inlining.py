from __future__ import annotations

import pytest
from onnx import helper, inliner
from tests.unit.graph.built import model, node, port

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.graph.inlining import written_out


def function(name, *calls):
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("m", 1)]
    body = [node(call, "a", f"b{at}", domain="m") for at, call in enumerate(calls)]
    return helper.make_function(
        "m", name, ["a"], ["b0"], body or [node("Relu", "a", "b0")], imports
    )


def calling(*functions, nodes=None):
    nodes = nodes or [node("F0", "x", "y", domain="m")]
    return model(nodes, functions=functions, more=[("m", 1)])


def test_a_model_without_functions_is_itself():
    made = model([node("Relu", "x", "y")])
    assert written_out(made) is made


def test_calls_become_nodes():
    made = written_out(calling(function("F0", "F1"), function("F1")))
    assert [one.op_type for one in made.graph.node] == ["Relu"]


def test_calls_within_branches_count():
    inner = helper.make_graph([node("F0", "x", "i", domain="m")], "g", [], [port("i")])
    nodes = [node("If", "x", "y", then_branch=inner, else_branch=inner)]
    with pytest.raises(ModelError, match="calls itself"):
        written_out(calling(function("F0", "F0"), nodes=nodes))


@pytest.mark.parametrize(
    ("functions", "why"),
    [
        ([function("F0", "F0")], "calls itself"),
        ([function("F0", "F1"), function("F1", "F0")], "calls itself"),
        ([function("F0"), function("F0")], "two of its functions"),
        ([function(f"F{at}", f"F{at + 1}") for at in range(70)], "deep"),
        ([function(f"F{at}", *[f"F{at + 1}"] * 2) for at in range(40)], "1,000,000 nodes"),
    ],
)
def test_what_would_never_end_is_refused(functions, why):
    with pytest.raises(ModelError, match=why):
        written_out(calling(*functions))


def test_what_onnx_cannot_write_out_stays(monkeypatch):
    monkeypatch.setattr(inliner, "inline_local_functions", lambda _: 1 / 0)
    made = calling(function("F0"))
    assert written_out(made) is made
