import numpy as np
from onnx import numpy_helper
from tests.unit.graph.built import FLOAT, array, dag, external, node, port

from ipfs_accelerate.graph.digests import cid_of
from ipfs_accelerate.graph.stored import canonical_weights

ITEMS = numpy_helper.to_array(array("w", 64, 32))
TURNED = np.ascontiguousarray(ITEMS.T)
LIES = {cid_of(one.tobytes()): one for one in (ITEMS, TURNED)}


def turned(cid, shape, dtype):
    assert LIES[cid].shape == shape
    assert str(LIES[cid].dtype) == dtype
    return cid_of(np.ascontiguousarray(LIES[cid].T).tobytes())


def weighed(items, *more):
    nodes = [node("MatMul", "x w", "y"), *more]
    return dag(
        nodes, [external("w", items.shape, cid_of(items.tobytes()))], [port("x", FLOAT, None)]
    )


def test_a_transposed_weight_is_equal():
    dags = {"a": weighed(ITEMS), "b": weighed(TURNED)}
    a, b = canonical_weights(dags, turned).values()
    assert a.keys() == b.keys()
    lying, other = canonical_weights(dags, None).values()
    assert not lying.keys() & other.keys()


def test_the_callers_bytes_are_asked_for_only_where_it_may_matter():
    assert len(canonical_weights({"a": weighed(ITEMS)}, lambda *_: str(1 / 0))["a"]) == 1


def test_weights_inside_need_no_bytes_of_the_caller():
    one = dag([node("MatMul", "x w", "y")], [numpy_helper.from_array(ITEMS, "w")])
    other = dag([node("MatMul", "x w", "y")], [numpy_helper.from_array(TURNED, "w")])
    a, b = canonical_weights({"a": one, "b": other}, None).values()
    assert a.keys() == b.keys()


def test_what_is_only_turned_is_no_weight_of_its_own():
    turning = [node("Transpose", "w", "t"), node("MatMul", "x t", "y")]
    weights = [external("w", ITEMS.shape, cid_of(ITEMS.tobytes()))]
    one = dag(turning, weights, [port("x", FLOAT, None)], turned=turned)
    assert len(one.weights) == 2
    assert len(canonical_weights({"a": one, "b": weighed(TURNED)}, turned)["a"]) == 1
