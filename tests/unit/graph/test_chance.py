import pytest
from tests.unit.graph.built import node

from ipfs_accelerate.graph.chance import by_chance


@pytest.mark.parametrize(
    "operator", ["RandomNormal", "RandomUniformLike", "Multinomial", "Bernoulli", "BiasDropout"]
)
def test_what_is_drawn_is_random(operator):
    assert by_chance(node(operator, "x", "y"), 21, training=False)


def test_what_is_computed_is_not():
    assert not by_chance(node("Relu", "x", "y"), 21, training=True)


def test_a_dropout_is_where_it_is_being_trained():
    plain = node("Dropout", "x", "y")
    assert not by_chance(plain, 13, training=False)
    assert by_chance(plain, 13, training=True)
    assert by_chance(plain, 6, training=False)
    assert not by_chance(node("Dropout", "x", "y", is_test=1), 6, training=False)
