from tests.unit.graph.built import array, dag, node

from ipfs_accelerate.graph.living import Living, Together
from ipfs_accelerate.graph.prefixes import frontier, owners, prefix

NORM = node("LayerNormalization", "m s", "h")
TRUNK = [node("MatMul", "x W", "m"), NORM, node("Sigmoid", "h", "g")]
WEIGHTS = [array("W", 4, 4), array("s", 4)]


def models(**tails):
    return Together({key: dag([*TRUNK, *tail], WEIGHTS) for key, tail in tails.items()}, None)


def names(together, digests):
    nodes = {one.digest: one for living in together.living.values() for one in living.dag.nodes}
    return sorted(nodes[digest].operator for digest in digests)


def common(together):
    found = owners(together.living, together.light)
    return [digest for digest, keys in found.items() if keys == frozenset(together.living)]


def cut(together):
    livings = list(together.living.values())
    safe = frozenset[str]().union(*(one.safe for one in livings))
    kept = prefix(livings, common(together), safe)
    return names(together, kept), frontier(livings, kept)


def test_what_ends_nowhere_safe_is_dropped_back_to_where_it_is():
    kept, ends = cut(models(a=[node("Relu", "g", "y")], b=[node("Abs", "g", "y")]))
    assert kept == ["LayerNormalization", "MatMul"]
    assert len(ends) == 1


def test_all_of_a_model_may_be_the_beginning_of_another():
    together = models(a=[node("Relu", "g", "y")], b=[node("Relu", "g", "r"), node("Exp", "r", "y")])
    kept, ends = cut(together)
    assert kept == ["LayerNormalization", "MatMul", "Relu", "Sigmoid"]
    assert ends == [together.living["a"].dag.outputs[0].digest]


def test_what_is_dropped_takes_all_that_builds_on_it():
    # The product is used by the second model before the norm, where no cut may be.
    tails = {"a": [node("Relu", "g", "y")], "b": [node("Relu", "g", "r"), node("Add", "r m", "y")]}
    assert cut(models(**tails)) == ([], [])


def test_random_and_cheap_nodes_are_nobodys():
    random = [node("RandomNormalLike", "g", "r"), node("Neg", "x", "n"), node("Sum", "r n", "y")]
    together = models(a=random, b=random)
    assert names(together, owners(together.living, together.light)) == [
        "LayerNormalization",
        "MatMul",
        "Sigmoid",
    ]


def test_which_models_have_a_node():
    together = models(a=[node("Relu", "g", "y")], b=[node("Abs", "g", "y")])
    groups = set(owners(together.living, together.light).values())
    assert groups == {frozenset("ab"), frozenset("a"), frozenset("b")}
    assert isinstance(together.living["a"], Living)
