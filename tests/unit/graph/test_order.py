import pytest

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.graph.order import ordered


def test_nodes_stand_as_they_do_where_they_can():
    assert ordered(["x"], [["x"], ["a", "x"], ["b", ""]], [["a"], ["b"], ["c", ""]]) == [0, 1, 2]
    assert ordered(["x"], [["b"], ["x"], ["a"], []], [["c"], ["a"], ["b"], ["d"]]) == [1, 2, 0, 3]


@pytest.mark.parametrize(
    ("uses", "makes", "why"),
    [
        ([["b"], ["a"]], [["a"], ["b"]], "cycle"),
        ([["a"]], [["a"]], "cycle"),
        ([["z"]], [["a"]], "'z', which nothing makes"),
        ([["x"], ["x"]], [["a"], ["a"]], "'a' is given twice"),
        ([["x"]], [["x"]], "'x' is given twice"),
    ],
)
def test_what_no_order_can_is_refused(uses, makes, why):
    with pytest.raises(ModelError, match=why):
        ordered(["x"], uses, makes)


def test_a_node_waits_for_all_that_it_uses():
    assert ordered(["x"], [["a", "b"], ["x"], ["x"]], [["c"], ["a"], ["b"]]) == [1, 2, 0]
