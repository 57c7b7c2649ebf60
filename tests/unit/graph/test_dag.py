from tests.unit.graph.built import array, dag, node

from ipfs_accelerate.graph import Dag

NODES = [
    node("Split", "x", "a b", num_outputs=2),
    node("Clip", "a _ w", "y"),
    node("Clip", "a _ w", "z"),
]


def made():
    return dag(NODES, [array("w")], outputs=("y",))


def test_equal_nodes_are_one():
    found = made()
    assert [one.operator for one in found.nodes] == ["Split", "Clip"]
    assert found.nodes[1].index == 1


def test_what_makes_and_uses_what():
    found = made()
    split, clip = found.nodes
    assert found.producer_of[clip.inputs[0]] is split
    assert found.weight_of[clip.inputs[2]].shape == ()
    assert clip.uses() == (clip.inputs[0], clip.inputs[2])
    assert found.outputs[0].digest == clip.outputs[0]


def test_one_random_node_makes_a_model_random():
    assert made().repeatable
    random = dag([node("RandomNormalLike", "x", "r"), node("Add", "r x", "y")])
    assert not random.repeatable
    assert [one.repeatable for one in random.nodes] == [False, False]


def test_there_and_back_is_the_same():
    assert Dag.from_json(made().to_json()) == made()
