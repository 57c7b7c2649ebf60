"""Models laid out over what they have in common, each component a file of its own in the store."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]  # it ships no types
import pytest
from onnx import TensorProto, helper, numpy_helper, save

from ipfs_accelerate.graph import Costs
from ipfs_accelerate.models import laying, resolve
from ipfs_accelerate.models.components import components_of, held_bytes, whole
from ipfs_accelerate.models.laying import lay_out

ANYTHING = Costs(least_bytes=1, least_work_share=0)
NOTHING = Costs(least_bytes=1 << 40, least_work_share=2)
WIDTH = 64
IDS = np.array([[3, 1, 4, 1]], np.int64)
WARM = """
import sys
from pathlib import Path
from ipfs_accelerate.graph import Costs
from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.laying import lay_out
store = BlockStore(Path(sys.argv[1]))
models = {one: resolve(one, store) for one in sys.argv[2:]}
layouts = lay_out(models, store, Costs(least_bytes=1, least_work_share=0), {})
assert all(len(one.stages) == 2 for one in layouts.values())
heavy = {"numpy", "onnx", "asyncio"} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""


@pytest.fixture
def family(tmp_path, store, model):
    """Models that look rows up in one table, and each multiply them by a matrix of its own."""

    def of(*names, trunk_is_an_output=False):
        return {
            name: resolve(built(tmp_path / f"{name}.onnx", name, model, trunk_is_an_output), store)
            for name in names
        }

    return of


def built(path, name, model, trunk_is_an_output):
    value = helper.make_tensor_value_info
    table = np.random.default_rng(1).standard_normal((50, WIDTH), np.float32)
    own = np.random.default_rng(ord(name)).standard_normal((WIDTH, WIDTH), np.float32)
    outputs = [value("y", TensorProto.FLOAT, ["rows", "ids", WIDTH])]
    if trunk_is_an_output:
        outputs.append(value("rows_of_table", TensorProto.FLOAT, ["rows", "ids", WIDTH]))
    made = model(
        [
            helper.make_node("Gather", ["table", "ids"], ["rows_of_table"]),
            helper.make_node("MatMul", ["rows_of_table", "own"], ["y"]),
        ],
        [value("ids", TensorProto.INT64, ["rows", "ids"])],
        outputs,
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(own, "own")],
    )
    save(made, path)
    return path


def run(layout, store, feeds):
    """What a model's components give, one after another, in native onnxruntime."""
    made: list[dict[str, np.ndarray]] = []
    for stage in layout.stages:
        session = ort.InferenceSession(store.path(stage.component.graph.cid))
        given = {
            take.name: (
                feeds[take.source]
                if isinstance(take.source, str)
                else made[take.source[0]][take.source[1]]
            ).astype(take.dtype)
            for take in stage.takes
        }
        names = [one.name for one in session.get_outputs()]
        made.append(dict(zip(names, session.run(names, given), strict=True)))
    return {name: made[stage][output] for name, (stage, output) in layout.outputs.items()}


def test_what_models_have_in_common_is_one_component(family, store):
    models = family("a", "b")
    layouts = lay_out(models, store, ANYTHING, {})
    trunks = {layout.keys[0] for layout in layouts.values()}
    heads = {layout.keys[1] for layout in layouts.values()}
    assert (len(trunks), len(heads)) == (1, 2)
    assert held_bytes(components_of(layouts.values()).values()) == 4 * WIDTH * (50 + 2 * WIDTH)
    for component in components_of(layouts.values()).values():
        assert store.holds(component.graph)
        assert all(store.has(weight.cid) for weight in component.weights)


@pytest.mark.parametrize("trunk_is_an_output", [False, True])
def test_the_components_compute_what_the_model_does(family, store, run_blocks, trunk_is_an_output):
    models = family("a", "b", trunk_is_an_output=trunk_is_an_output)
    layouts = lay_out(models, store, ANYTHING, {})
    for name, manifest in models.items():
        right = run_blocks(manifest, store, {"ids": IDS})
        found = run(layouts[name], store, {"ids": IDS})
        assert len(found) == len(right)
        for port, wanted in zip(manifest.outputs, right, strict=True):
            np.testing.assert_array_equal(found[port.name], wanted)


def test_what_only_chooses_rows_is_taken_narrow(family, store):
    layout = lay_out(family("a", "b"), store, ANYTHING, {})["a"]
    (take,) = layout.stages[0].takes
    assert (take.source, take.dtype) == ("ids", "int32")
    assert take.model_shape == ("rows", "ids")
    assert take.shape is not None
    assert layout.sizes(0, {"rows": 2, "ids": 5}) == dict(zip(take.shape, (2, 5), strict=True))
    assert layout.sizes(1, {"rows": 2, "ids": 5}) is not None


def test_where_nothing_is_worth_it_each_is_its_own_file_with_its_work_known(family, store):
    models = family("a", "b")
    for key, layout in lay_out(models, store, NOTHING, {}).items():
        assert layout.is_file
        assert layout == whole(models[key], macs=layout.stages[0].component.macs)
        assert layout.stages[0].component.macs > 0


def test_what_is_there_stays_as_it_is_where_that_is_as_good(family, store):
    models = family("a", "b", "c")
    two = {key: models[key] for key in "ab"}
    present = lay_out(two, store, ANYTHING, {})
    found = lay_out(models, store, ANYTHING, present)
    assert all(found[key] is present[key] for key in two)
    assert found["c"].keys[0] == found["a"].keys[0]


def test_one_that_comes_begins_with_what_is_there_and_nothing_is_cut_anew(family, store):
    models = family("a", "b", "c")
    present = lay_out({key: models[key] for key in "ab"}, store, ANYTHING, {})
    fixed = [part for layout in present.values() for part in layout.parts]
    found = lay_out(models, store, NOTHING, present, fixed)
    assert found["c"].keys[0] == present["a"].keys[0]
    assert len(found["c"].stages) == 2
    alone = lay_out({"c": models["c"]}, store, ANYTHING, {}, ())
    assert alone["c"].is_file


def test_a_component_is_made_once(family, store, monkeypatch):
    models = family("a", "b")
    first = lay_out(models, store, ANYTHING, {})
    monkeypatch.setattr(laying, "_make", None)
    assert lay_out(models, store, ANYTHING, {}) == first


def test_what_is_known_loads_nothing_heavy(family, store, tmp_path):
    lay_out(family("a", "b"), store, ANYTHING, {})
    paths = [str(tmp_path / f"{name}.onnx") for name in "ab"]
    subprocess.run([sys.executable, "-c", WARM, str(store.root), *paths], check=True)


@pytest.mark.parametrize("damage", ["graph", "weight", "note", "maker"])
def test_what_is_not_as_it_was_made_is_made_again(family, store, monkeypatch, damage):
    models = family("a", "b")
    first = lay_out(models, store, ANYTHING, {})
    component = first["a"].stages[0].component
    if damage == "maker":
        monkeypatch.setattr(laying, "_MAKER", 99)
    elif damage == "note":
        note = store.recall(f"component {component.digest} by {laying._MAKER}")
        store.path(note).write_bytes(b"{}")
    elif damage == "graph":
        store.path(component.graph.cid).unlink()
    else:
        store.path(component.weights[0].cid).unlink()
        models = family("a", "b")  # it is the model's own, and comes with it
    made, make = [], laying._make

    def counted(*arguments):
        made.append(arguments)
        return make(*arguments)

    monkeypatch.setattr(laying, "_make", counted)
    assert lay_out(models, store, ANYTHING, {}) == first
    assert len(made) == {"maker": 3, "weight": 0}.get(damage, 1)
    assert store.holds(component.graph)
    assert store.has(component.weights[0].cid)
