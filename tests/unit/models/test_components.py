"""A model's way over components: their names, what they hold, and the sizes of their inputs."""

from dataclasses import replace

from tests.unit.pool.parts import chain, component, model

from ipfs_accelerate.models.components import (
    Layout,
    Stage,
    Take,
    components_of,
    held_bytes,
    whole,
)
from ipfs_accelerate.models.manifest import Port
from ipfs_accelerate.protocol.messages import Lent

ONE, TWO = component("one"), component("two", size=0)


def test_a_component_is_named_by_its_graph_and_knows_its_weights():
    assert ONE.key == ONE.graph.cid
    assert (ONE.weight_bytes, TWO.weight_bytes) == (100, 0)


def test_a_model_as_its_file_is_one_component_under_its_own_names():
    manifest = model("m", repeatable=False)
    layout = whole(manifest, macs=7)
    (stage,) = layout.stages
    assert layout.is_whole
    assert layout.is_file
    assert layout.keys == (manifest.graph.cid,)
    assert (stage.component.macs, stage.component.repeatable) == (7, False)
    assert stage.takes == (Take("x", "int64", ("n",), ("n",), "x"),)
    assert layout.outputs == {"y": (0, "y")}


def test_one_that_is_cut_is_no_file_however_few_its_parts():
    assert chain(ONE).is_whole
    assert not chain(ONE).is_file
    assert not chain(ONE, TWO).is_whole


def test_of_its_parts_nothing_depends_for_being_equal():
    assert replace(chain(ONE, TWO), parts=("anything",)) == chain(ONE, TWO)


def test_a_files_free_sizes_are_the_models_own():
    assert whole(model("m")).sizes(0, {"n": 4}) == {"n": 4}


def test_a_parts_free_sizes_are_found_by_what_the_model_calls_them():
    take = Take("a", "int64", ("s0", "s1", 3), ("n", 5, 3), "x")
    layout = Layout((Stage(ONE, (take,)),), {"y": (0, "b")})
    assert layout.sizes(0, {"n": 4}) == {"s0": 4, "s1": 5}
    assert layout.sizes(0, {}) is None


def test_a_size_that_the_model_has_no_name_for_is_not_known_before_it_runs():
    take = Take("a", "int64", ("s0",), (None,), "x")
    assert Layout((Stage(ONE, (take,)),), {}).sizes(0, {"n": 4}) is None


def test_an_input_of_any_shape_has_no_sizes_to_know():
    takes = (Take("a", "int64", None, ("n",), "x"), Take("b", "int64", ("s0",), None, "x"))
    assert Layout((Stage(ONE, takes),), {}).sizes(0, {"n": 4}) == {}


def test_a_model_without_shapes_is_laid_out_too():
    manifest = replace(model("m"), inputs=(Port("x", "int64", None),))
    assert whole(manifest).stages[0].takes[0].shape is None


def test_what_several_models_use_is_held_once():
    three = components_of([chain(ONE, TWO), chain(ONE, component("three", size=7))])
    assert list(three) == [ONE.key, TWO.key, component("three").key]
    assert held_bytes(three.values()) == 107


def test_what_is_lent_to_several_components_is_held_once():
    lent = Lent("w", "cid", 50, "F32", (5, 5))
    one, two = replace(ONE, lent=(lent, replace(lent, input="v"))), replace(TWO, lent=(lent,))
    assert (one.weight_bytes, two.weight_bytes) == (150, 50)
    assert held_bytes([one, two]) == 150
