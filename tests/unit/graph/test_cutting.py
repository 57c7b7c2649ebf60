from __future__ import annotations

from tests.unit.graph.built import FLOAT, array, dag, linear, model, node, port

from ipfs_accelerate.graph import Costs, partition, read_dag
from ipfs_accelerate.graph.cutting import partition as same_partition

ANYTHING = Costs(least_bytes=1, least_work_share=0)


def plan(costs=ANYTHING, fixed=None, **models):
    return partition({key: read_dag(one) for key, one in models.items()}, costs, fixed)


def digests(found):
    return {key: [part.digest for part in parts] for key, parts in found.models.items()}


def test_a_lone_model_is_one_part():
    (part,) = plan(a=linear()).models["a"]
    assert not part.whole
    assert partition is same_partition


def test_what_two_begin_with_is_one_part():
    found = plan(a=linear(seed=1), b=linear("other", seed=2))
    (one, mine), (two, yours) = found.models.values()
    assert one.digest == two.digest
    assert mine.digest != yours.digest
    assert len(one.nodes) == 2
    assert [source.part for source in mine.inputs] == [0]
    assert mine.outputs[0].outputs == ("y",)


def test_it_is_not_cut_where_that_does_not_pay():
    found = plan(Costs(least_work_share=0.9), a=linear(seed=1), b=linear(seed=2))
    assert [len(parts) for parts in found.models.values()] == [1, 1]


def test_equal_models_are_one_part():
    found = digests(plan(a=linear(), b=linear("x")))
    assert found["a"] == found["b"]
    assert len(found["a"]) == 1


def test_a_model_may_be_the_beginning_of_another():
    head = [node("MatMul", "h V", "y"), node("Sigmoid", "y", "z")]
    found = digests(plan(encoder=linear(), whole=linear(tail=head, outputs=["z"])))
    assert found["whole"][:1] == found["encoder"]
    assert len(found["whole"]) == 2


def test_sharing_is_nested():
    def second(key, seed):
        tail = [
            node("MatMul", "h V", "p"),
            node("LayerNormalization", "p s", "q"),
            node("MatMul", f"q {key}", "y"),
        ]
        made = linear(tail=tail)
        made.graph.initializer.append(array(key, 64, 64, seed=seed))
        return made

    found = digests(plan(a=second("A", 5), b=second("B", 6), c=linear(seed=9)))
    a, b, c = found.values()
    assert [len(one) for one in (a, b, c)] == [3, 3, 2]
    assert a[:2] == b[:2]
    assert c[0] == a[0]


def towers(*keys):
    """One model of several towers, each with an input and an output of its own."""
    nodes, weights = [], []
    for key in keys:
        nodes += [node("MatMul", f"x{key} W{key}", f"y{key}")]
        weights += [array(f"W{key}", 64, 64, seed=ord(key))]
    ports = [port(f"x{key}", FLOAT, ("n", 64)) for key in keys]
    return model(nodes, weights, ports, outputs=[f"y{key}" for key in keys])


def test_towers_are_shared_one_by_one():
    found = digests(plan(both=towers("a", "b"), left=towers("a"), right=towers("b")))
    assert sorted(found["both"]) == sorted(found["left"] + found["right"])


def test_parts_of_sets_that_overlap_hold_no_node_twice():
    # The first two share a and b, the first and the third b and c: b is of all three.
    def three(*keys, tail):
        made = towers(*keys)
        made.graph.node.append(node("Sum", " ".join(f"y{key}" for key in keys), "s"))
        made.graph.node.append(node(tail, "s", "y"))
        made.graph.output.append(port("y", FLOAT, None))
        return made

    found = plan(
        one=three("a", "b", "c", tail="Exp"),
        two=three("a", "b", tail="Tanh"),
        three=three("b", "c", tail="Erf"),
    )
    for parts in found.models.values():
        nodes = [place for part in parts for place in part.nodes]
        assert len(nodes) == len(set(nodes))
    assert sum(len(keys) > 1 for keys in found.users().values()) == 3


def branches(*keys, tail):
    """A trunk and branches behind it, each of which ends in a norm."""
    nodes = []
    for key in keys:
        nodes += [
            node("MatMul", f"h {key}", f"{key}p"),
            node("LayerNormalization", f"{key}p s", f"{key}n"),
        ]
    made = linear(tail=[*nodes, node("Sum", " ".join(f"{key}n" for key in keys), "t"), tail])
    made.graph.initializer.extend(array(key, 64, 64, seed=ord(key)) for key in keys)
    return made


def test_a_part_that_would_get_in_the_way_is_left():
    # The trunk alone is not worth a cut, but with either branch it is: not with both, apart.
    costs = Costs(least_bytes=20_000, least_work_share=2)
    found = plan(
        costs,
        both=branches("F", "G", tail=node("Sigmoid", "t", "y")),
        first=branches("F", tail=node("Exp", "t", "y")),
        second=branches("G", tail=node("Tanh", "t", "y")),
    )
    assert [len(parts) for parts in found.models.values()] == [2, 2, 1]
    places = [place for part in found.models["both"] for place in part.nodes]
    assert len(places) == len(set(places))


def test_a_model_that_cannot_be_cut_is_whole():
    made = model([node("Relu", "x", "y"), node("Identity", "x", "z")], outputs=["y", "z"])
    (part,) = plan(a=made, b=made).models["a"]
    assert part.whole


def test_an_output_that_is_cheap_is_given_by_the_rest():
    tail = [node("MatMul", "h V", "y"), node("Neg", "x", "z")]
    found = plan(a=linear(), b=linear(tail=tail, outputs=["y", "z"]))
    shared, rest = found.models["b"]
    assert [each.outputs for each in shared.outputs] == [("y",)]
    assert [each.outputs for each in rest.outputs] == [("z",)]


def test_nothing_is_cut_at_a_value_of_no_known_type():
    strange = [node("Strange", "x", "m", domain="d"), node("LayerNormalization", "m s", "h")]
    more = {"more": [("d", 1)]}
    weights = [array("s", 4)]
    dags = {
        tail: dag([*strange, node(tail, "h", "y")], weights, **more) for tail in ("Sigmoid", "Exp")
    }
    assert [len(parts) for parts in partition(dags, ANYTHING).models.values()] == [1, 1]


def test_loaded_parts_stay_what_they_are():
    before = plan(a=linear(seed=1), b=linear(seed=2))
    loaded = [part for parts in before.models.values() for part in parts]
    head = [node("Sigmoid", "h", "y")]
    after = plan(fixed=loaded, a=linear(seed=1), b=linear(seed=2), c=linear(tail=head))
    assert digests(after)["a"] == digests(before)["a"]
    assert digests(after)["b"] == digests(before)["b"]
    assert digests(after)["c"][0] == digests(before)["a"][0]
    apart = plan(fixed=[], a=linear(seed=1), b=linear(seed=2))
    assert [len(parts) for parts in apart.models.values()] == [1, 1]
