import pytest
from onnx import helper

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.graph.operators import Imports, opsets


def imports(*pairs):
    return Imports([helper.make_opsetid(*pair) for pair in pairs])


def test_an_operator_is_of_the_opset_in_which_it_last_changed():
    assert imports(("", 18)).operator("Erf", "").version == 13
    assert imports(("ai.onnx", 21)).operator("Erf", "ai.onnx").version == 13
    assert "epsilon" in imports(("", 21)).operator("LayerNormalization", "").defaults


def test_one_that_nobody_wrote_down_is_of_the_import():
    found = imports(("", 21), ("mine", 3)).operator("Mine", "mine")
    assert (found.version, found.defaults) == (3, {})
    assert imports(("", 2**40)).operator("Erf", "").version == 2**40


def test_a_domain_must_be_imported():
    with pytest.raises(ModelError, match="not imported"):
        imports(("", 21)).operator("Mine", "mine")


@pytest.mark.parametrize(
    ("operators", "right"),
    [
        ([], {"": 21}),
        ([("", "Erf", 13)], {"": 21}),
        ([("", "Softmax", 11)], {"": 12}),  # it changed in 13
        ([("", "Softmax", 1), ("", "Relu", 6)], {"": 10}),
        ([("", "Mine", 9)], {"": 9}),
        ([("", "Swish", 24)], {"": 24}),
        ([("mine", "A", 1), ("mine", "B", 1)], {"": 21, "mine": 1}),
    ],
)
def test_a_part_is_of_the_newest_opset_that_changes_nothing(operators, right):
    assert opsets(operators) == right
