import numpy as np
import pytest
from tests.unit.validate.cases import RIGHT, case, result

from ipfs_accelerate.errors import from_code
from ipfs_accelerate.validate.judge import judge, judge_error, judge_unrun
from ipfs_accelerate.validate.tolerance import OPERATORS
from ipfs_accelerate.validate.verdicts import why_of

OFF = RIGHT.copy()
OFF[1, 2] *= 1.01


def verdict(made, of=None, platform="webgpu"):
    return judge(of or case(), made, OPERATORS, platform)


def test_what_is_right_is_right():
    outcome = verdict(result())
    assert outcome.verdict == "right"
    assert (outcome.difference, outcome.fell_back, why_of(outcome)) == (None, (), "")


def test_one_element_off_by_a_hundredth_is_wrong():
    outcome = verdict(result(OFF))
    assert outcome.verdict == "wrong"
    assert outcome.difference.at == (1, 2)
    assert "5.05 where 5 is right, at [1, 2]" in why_of(outcome)


def test_operators_that_ran_on_the_cpu_are_named():
    outcome = verdict(result(fell_back=("Gelu",)))
    assert (outcome.verdict, outcome.fell_back) == ("fell_back", ("Gelu",))
    assert why_of(outcome) == "on the CPU: Gelu"


def test_what_fell_back_and_is_wrong_is_wrong():
    outcome = verdict(result(OFF, fell_back=("Gelu",)))
    assert (outcome.verdict, outcome.fell_back) == ("wrong", ("Gelu",))


def test_what_ran_on_another_platform_fell_back():
    outcome = verdict(result(platform="wasm"))
    assert (outcome.verdict, outcome.fell_back) == ("fell_back", ("Gelu",))
    assert "it ran on wasm" in why_of(outcome)
    assert verdict(result(platform="wasm"), platform="auto").verdict == "right"


def test_an_output_that_is_missing_is_wrong():
    assert verdict(result(output_tensors={"z": RIGHT})).verdict == "wrong"


def test_numbers_that_are_drawn_anew_are_held_to_their_kind():
    assert verdict(result(RIGHT + 1), case(random=True)).verdict == "right"
    assert verdict(result(np.ones(3, np.float32)), case(random=True)).verdict == "wrong"


@pytest.mark.parametrize(
    ("code", "message", "expected"),
    [
        ("operator_unsupported", "webnn has no Gelu.", "unsupported"),
        ("tensor_dtype", "A tensor of dtype 'int4' cannot be carried.", "unsupported"),
        ("model_invalid", "Could not find an implementation for Add(14)", "unsupported"),
        ("model_invalid", "m.onnx is of opset 28; the engine reads up to 26.", "unsupported"),
        ("model_invalid", "x is sequence_type, not a tensor.", "unsupported"),
        ("model_invalid", "x is not currently registered or supported", "unsupported"),
        ("model_invalid", "[ShapeInferenceError] Can't merge shape info.", "failed"),
        ("run_failed", "The antialias attribute is NOT implemented.", "unsupported"),
        ("run_failed", "Mod is not supported for this type", "unsupported"),
        ("run_failed", "memory access out of bounds", "failed"),
        ("wrong_numbers", "webgpu computes MiniLM wrongly.", "wrong"),
        ("platform_unavailable", "webnn is not there.", "unavailable"),
        ("browser_not_found", "There is no edge.", "unavailable"),
        ("timeout", "Worker 1 gave no answer within 10 s.", "failed"),
        ("worker_lost", "Its browser ended.", "failed"),
        ("out_of_memory", "There is none left.", "failed"),
        ("a_code_of_tomorrow", "Something new.", "failed"),
    ],
)
def test_an_error_has_a_verdict_and_keeps_its_code_and_reason(code, message, expected):
    outcome = judge_error(case(), from_code(code, message))
    assert (outcome.verdict, outcome.code, outcome.reason) == (expected, code, message)


def test_what_native_onnxruntime_refuses_as_well_is_no_browsers_fault():
    refused = from_code("run_failed", "fmod attribute must be true")
    assert judge_error(case(native="right"), refused).verdict == "failed"
    assert judge_error(case(native="refuses it: fmod"), refused).verdict == "unsupported"
    # A hang is a hang, whatever another says of the case.
    hang = from_code("timeout", "no answer")
    assert judge_error(case(native="refuses it: fmod"), hang).verdict == "failed"


def test_an_error_that_is_none_of_ours_is_a_failure():
    assert judge_error(case(), ValueError("oh")).reason == "ValueError: oh"
    assert judge_error(case(), TimeoutError()).code == "timeout"


def test_the_folder_of_a_file_that_is_gone_is_not_told():
    error = from_code("model_invalid", "/a/gelu.onnx is odd.", {"path": "/a/gelu.onnx"})
    assert judge_error(case(), error).reason == "gelu.onnx is odd."


def test_what_can_not_be_run_is_known_before():
    assert judge_unrun(case()) is None
    refused, failed = judge_unrun(case(refusal="a string")), judge_unrun(case(failure="oh"))
    assert refused is not None
    assert failed is not None
    assert (refused.verdict, failed.verdict) == ("unsupported", "failed")
