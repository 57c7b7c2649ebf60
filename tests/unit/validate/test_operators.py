"""onnx's own cases, as cases of ours."""

import re
from collections import Counter

import numpy as np
import onnx
import pytest

from ipfs_accelerate.errors import ConfigError
from ipfs_accelerate.models.onnx_file import NEWEST_OPSET
from ipfs_accelerate.validate import native, operators
from ipfs_accelerate.validate.operators import collect
from ipfs_accelerate.validate.tolerance import OPERATORS


def chosen(only=None, sample=None):
    return collect(only=only, sample=sample, tolerance=OPERATORS)


def by_name(only):
    return {case.name: case for case in chosen(only)}


def test_a_case_has_its_model_its_inputs_and_what_they_give():
    case = by_name("^gelu_default_1$")["gelu_default_1"]
    assert case.operators == ("Gelu",)
    assert list(case.inputs) == ["x"]
    np.testing.assert_allclose(case.right["y"], [-0.158655, 0, 0.841345], atol=1e-5)
    assert onnx.load_from_string(case.model).graph.node[0].op_type == "Gelu"
    assert case.native == "right"


def test_cases_are_found_by_their_operator_too():
    found = chosen("^abs$|^GatherElements$")
    assert {case.operators for case in found} == {("Abs",), ("GatherElements",)}
    assert chosen("nothing is called so") == []
    with pytest.raises(ConfigError, match="is no pattern"):
        chosen("(")


def test_a_sample_is_always_the_same_one_in_the_cases_order():
    names = [case.name for case in chosen("cast|clip", 12)]
    assert len(names) == 12
    assert names == [case.name for case in chosen("cast|clip", 12)]
    order = [case.name for case in chosen("cast|clip")]
    assert sorted(names, key=order.index) == names
    assert len(order) == len(chosen("cast|clip", 10_000))


def test_what_no_frame_carries_is_refused_before_it_is_sent():
    found = by_name("cast_FLOAT_to_(INT4|FLOAT16)|identity_(opt|sequence)|^equal_string$")
    assert {name: case.refusal for name, case in found.items() if case.refusal} == {
        "cast_FLOAT_to_INT4": "output is of the dtype int4, which no frame carries",
        "identity_opt": "opt_in is of the type optional, not a tensor",
        "identity_sequence": "x is of the type sequence, not a tensor",
        "equal_string": "x is of the dtype string, which no frame carries",
    }
    assert found["cast_FLOAT_to_FLOAT16"].right["output"].dtype == np.float16


def test_a_case_of_a_later_opset_runs_in_the_newest_that_is_read_where_it_is_valid_there():
    found = by_name("cast_FLOAT_to_DOUBLE|^swiglu_alpha$")
    lowered = found["cast_FLOAT_to_DOUBLE"]
    assert re.fullmatch(rf"run as opset {NEWEST_OPSET}, not \d+", lowered.note)
    model = onnx.load_from_string(lowered.model)
    assert model.opset_import[0].version == NEWEST_OPSET
    assert lowered.native == "right"
    kept = found["swiglu_alpha"]
    assert kept.note == ""
    assert onnx.load_from_string(kept.model).opset_import[0].version > NEWEST_OPSET


def test_operators_that_draw_numbers_are_known_wherever_they_stand():
    found = by_name("^(dropout_default|bernoulli_expanded|relu)$")
    assert {name: case.random for name, case in found.items()} == {
        "dropout_default": True,
        "bernoulli_expanded": True,
        "relu": False,
    }


def test_a_second_opinion_is_right_wrong_or_a_refusal(monkeypatch):
    def verdicts():
        return Counter(case.native.partition(":")[0] for case in chosen("^(relu|abs)$"))

    assert verdicts() == {"right": 2}
    monkeypatch.setattr(native, "run", lambda _model, inputs: {"y": inputs["x"] + 7})
    assert verdicts() == {"wrong": 2}

    def refuses(_model, _inputs):
        raise native.RefusedError("no kernel")

    monkeypatch.setattr(native, "run", refuses)
    assert [case.native for case in chosen("^relu$")] == ["refuses it: no kernel"]
    monkeypatch.setattr(native, "installed", lambda: False)
    assert [case.native for case in chosen("^relu$")] == [""]


def test_eight_bits_of_floats_have_their_own_dtype_in_the_second_opinion():
    (cast,) = chosen("^cast_FLOAT_to_FLOAT8E4M3FN$")
    assert cast.native == "right"


def test_every_case_is_taken():
    made = operators._load()
    assert len(made) > 1600
    assert all(len(one.data_sets) == 1 for one in made)
