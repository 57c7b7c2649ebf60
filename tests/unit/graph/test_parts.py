from ipfs_accelerate.graph.dag import Weight
from ipfs_accelerate.graph.parts import MEASURED, Costs, Part, Partition


def part(digest, *weights):
    return Part(digest, (), (), (), weights, 1, repeatable=True)


def test_only_blocks_count_as_weights():
    block = Weight("a", "a", "c", 5000, "float32", (1250,), "c")
    small = Weight("b", "b", "d", 4, "float32", (1,), None)
    assert part("p", block, small).weight_bytes == 5000


def test_who_has_which_part():
    plan = Partition(
        {"one": (part("p"), part("q")), "two": (part("p"),), "three": (part("p"),) * 2}
    )
    assert plan.users() == {"p": ("one", "two", "three"), "q": ("one",)}


def test_what_was_measured_is_the_default():
    assert Costs() == MEASURED
    assert MEASURED.least_bytes == 1 << 20
