from tests.unit.graph.built import dag, linear, node

from ipfs_accelerate.graph import read_dag
from ipfs_accelerate.graph.living import Living, Together

MORE = [("m", 1)]


def test_only_what_the_outputs_need_lives():
    found = Living(
        dag([node("Relu", "x", "a"), node("Abs", "x", "dead"), node("Neg", "a", "y")]), None
    )
    assert sorted(one.operator for one in found.nodes.values()) == ["Neg", "Relu"]
    (relu,) = (one for one in found.nodes.values() if one.operator == "Relu")
    (neg,) = (one for one in found.nodes.values() if one.operator == "Neg")
    assert found.users[relu.outputs[0]] == [neg.digest]
    assert found.ends == set(neg.outputs)
    assert found.safe == found.ends


def test_work_and_weights_of_some_nodes():
    found = Living(read_dag(linear()), {"n": 2})
    product = next(one for one in found.nodes.values() if one.operator == "MatMul")
    assert found.work_of([product.digest]) == 2 * 64 * 64
    assert found.total == found.work_of(found.nodes)
    assert list(found.weights_of([product.digest]).values()) == [64 * 64 * 4]


def test_which_types_are_known():
    nodes = [
        node("Mine", "x", "a", domain="m"),
        node("Relu", "a", "b"),
        node("Cast", "b", "y", to=1),
    ]
    found = Living(dag(nodes, more=MORE), None)
    unknown = [value for value in found.dag.values if not found.types(value)]
    assert len(unknown) == 2
    assert found.types("of another model")


def test_what_is_cheap_in_one_model_is_so_in_each():
    nodes = [node("Neg", "x", "c"), node("Relu", "c", "y")]
    small, large = (linear(tail=nodes, rows=rows) for rows in ("batch", 1 << 20))
    dags = {"small": read_dag(small), "large": read_dag(large)}
    neg = next(one.digest for one in dags["large"].nodes if one.operator == "Neg")
    assert neg in Together(dags, None).light
    assert neg not in Together({"large": dags["large"]}, None).light
