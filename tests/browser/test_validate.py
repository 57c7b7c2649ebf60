"""A real browser is validated, and what is planted is found."""

import asyncio
import dataclasses
import json
import re
import signal
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.browser import graphs
from tests.browser.scripts import Place

from ipfs_accelerate.cli.validate import OPERATOR_TIMEOUT_S
from ipfs_accelerate.validate.operators import collect
from ipfs_accelerate.validate.session import Plan, carry_out
from ipfs_accelerate.validate.tolerance import OPERATORS

SOME = 40
IN_FULL_S = 600
"""for every case on one platform: it is to be of use while a person waits"""
WHERE = [("chromium", "wasm"), ("portable", "webnn"), ("chromium", "webgpu")]
DEVICES = WHERE[1:]
OPERATOR_S = dict.fromkeys(("load_timeout_s", "inference_timeout_s"), OPERATOR_TIMEOUT_S)
LOST = ("timeout", "worker_lost", "crashed")
PAGE = Path(__file__).parents[2] / "docs" / "operators.md"


@pytest.fixture
def plan_of(shared_cache):
    def of(browser="chromium", platform="wasm", **more):
        options = {"cache_dir": shared_cache, "websocket_port": 0, "threads": 1, **OPERATOR_S}
        return Plan(
            browsers=[browser],
            platforms=[platform],
            tolerance=OPERATORS,
            options=options,
            **more,
        )

    return of


def carried_out(plan, cases):
    report = plan.report("onnx's node test cases")
    asyncio.run(carry_out(plan, cases, report))
    (run,) = report.runs
    return report, run


def found(run, *verdicts):
    return {one.case for one in run.outcomes if one.verdict.value in verdicts}


def planted(case):
    """The case, whose reference is off by a hundredth in the element that is the largest."""
    name, right = next(iter(case.right.items()))
    wrong = right.copy()
    at = np.unravel_index(np.argmax(np.abs(right)), right.shape)
    wrong[at] *= 1.01
    return dataclasses.replace(case, right={**case.right, name: wrong}), name, at


@pytest.mark.parametrize(("browser", "platform"), WHERE)
def test_operators_are_right_but_for_the_one_whose_reference_is_planted_wrong(
    plan_of, browser, platform
):
    cases = collect(
        only="^(reciprocal_example|neg_example|softmax_axis_1|matmul_2d|conv_with_strides_no_padding)$",
        tolerance=OPERATORS,
    )
    assert len(cases) == 5
    cases[2], output, at = planted(cases[2])
    report, run = carried_out(plan_of(browser, platform), cases)
    assert found(run, "wrong") == {cases[2].name}
    assert found(run, "right") == {case.name for case in cases} - {cases[2].name}
    difference = run.outcomes[2].difference
    assert (difference.output, difference.at) == (output, tuple(at))
    assert 0.009 < difference.off < 0.011
    assert run.device == ("software-gpu" if platform == "webgpu" else "cpu")
    assert not report.good


@pytest.mark.parametrize(("browser", "platform"), DEVICES)
def test_a_planted_fallback_is_found_and_named(plan_of, browser, platform):
    relu, *_ = collect(only="^relu$", tolerance=OPERATORS)
    falling = dataclasses.replace(
        relu,
        name="falling",
        model=graphs.determinant().SerializeToString(),
        inputs={"x": np.array([[1, 2], [3, 4]], np.float32)},
        right={"out": np.array(-2, np.float32)},
    )
    _, strict = carried_out(plan_of(browser, platform), [relu, falling])
    assert (found(strict, "right"), found(strict, "unsupported")) == ({"relu"}, {"falling"})
    _, lenient = carried_out(plan_of(browser, platform, allow_fallback=["wasm"]), [relu, falling])
    assert (found(lenient, "right"), found(lenient, "fell_back")) == ({"relu"}, {"falling"})
    assert lenient.outcomes[1].fell_back == ("Det",)


def test_a_graph_that_the_browser_will_not_build_is_refused_at_once_in_its_words(plan_of):
    cases = collect(only="^(nllloss_NC|nllloss_NCd1d2|relu)$", tolerance=OPERATORS)
    _, run = carried_out(plan_of("portable", "webnn"), cases)
    assert found(run, "right") == {"relu"}
    refused = [one for one in run.outcomes if one.case.startswith("nllloss")]
    assert {one.code for one in refused} == {"operator_unsupported"}
    assert all("gatherElements only supports constant indices" in one.reason for one in refused)


def test_what_a_browser_can_not_do_is_unsupported_and_the_rest_goes_on(plan_of):
    only = "^(cast_FLOAT_to_(INT4|FLOAT8E4M3FN|DOUBLE)|identity_sequence|swiglu_alpha)$"
    _, run = carried_out(plan_of(), collect(only=only, tolerance=OPERATORS))
    assert found(run, "right") == {"cast_FLOAT_to_DOUBLE"}
    assert found(run, "unsupported") == {
        "cast_FLOAT_to_INT4",
        "cast_FLOAT_to_FLOAT8E4M3FN",
        "identity_sequence",
        "swiglu_alpha",
    }
    assert all(one.reason for one in run.outcomes if one.verdict == "unsupported")


def test_a_case_that_hangs_is_recorded_and_the_next_ones_are_right(shared_cache, tmp_path):
    options = {"cache_dir": shared_cache, "websocket_port": 0, "inference_timeout_s": 2.0}
    plan = Plan(platforms=["wasm"], tolerance=OPERATORS, options=options)
    relu, *_ = collect(only="^relu$", tolerance=OPERATORS)
    slow = graphs.slow().SerializeToString()
    right = {"out": graphs.FOREVER["x"]}
    hanging = dataclasses.replace(
        relu, name="forever", model=slow, inputs=graphs.FOREVER, right=right, native=""
    )
    named = [dataclasses.replace(relu, name=f"relu {number}") for number in range(4)]
    started = time.monotonic()
    _, run = carried_out(plan, [*named[:2], hanging, *named[2:]])
    assert found(run, "right") == {case.name for case in named}
    (hung,) = (one for one in run.outcomes if one.verdict == "failed")
    assert (hung.case, hung.code) == ("forever", "timeout")
    assert time.monotonic() - started < 60


def named_on_the_page(platform, browser):
    """The cases of which docs/operators.md says that they are wrong or fail there."""
    section = PAGE.read_text("utf-8").split(f"\n### {platform} in {browser}\n")[1]
    rows = re.findall(r"^\| (?:wrong|failed) \| (.*?) \|", section.split("\n#")[0], re.MULTILINE)
    return {case for row in rows for case in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize(("browser", "platform"), WHERE)
def test_a_sample_of_every_operator_has_nothing_bad_that_is_not_known(plan_of, browser, platform):
    plan = plan_of(browser, platform, allow_fallback=["wasm"])
    _, run = carried_out(plan, collect(sample=SOME, tolerance=OPERATORS))
    assert len(run.outcomes) == SOME
    assert not found(run, "unavailable")
    assert found(run, "wrong", "failed") <= named_on_the_page(platform, browser)
    assert len(found(run, "right", "fell_back")) > SOME / 2
    assert found(run, "right")


@pytest.mark.soak
@pytest.mark.parametrize(("browser", "platform"), WHERE)
def test_every_operator(plan_of, browser, platform):
    started = time.monotonic()
    cases = collect(tolerance=OPERATORS)
    collected_s = time.monotonic() - started
    _, run = carried_out(plan_of(browser, platform, allow_fallback=["wasm"]), cases)
    counts = {verdict.value: count for verdict, count in run.counts.items()}
    print(f"{len(cases)} cases, collected in {collected_s:.0f} s, run in {run.seconds:.0f} s")  # noqa: T201 - soak writes its figures down
    print(f"{run.name}: {counts}")  # noqa: T201 - as above
    for outcome in run.outcomes:
        if outcome.verdict in ("wrong", "failed"):
            print(outcome.verdict, outcome.case, outcome.difference or outcome.reason)  # noqa: T201 - as above
    assert len(run.outcomes) == len(cases)
    assert not {one.case for one in run.outcomes if one.code in LOST}
    assert found(run, "wrong", "failed") <= named_on_the_page(platform, browser)
    assert run.seconds < IN_FULL_S


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_the_command_validates_operators_and_writes_its_reports(place):
    words = (
        "validate --operators --only ^(abs|gelu_default_1|swiglu_alpha)$ --platform wasm --port 0"
    )
    done = place.cli([*words.split(), "--json", "r.json", "--junit", "r.xml"])
    assert done.returncode == 0, done.stderr
    assert re.search(r"chromium wasm \(cpu\) +2 +0 +0 +1 +0 +0 ", done.stdout)
    assert re.search(
        r"unsupported +swiglu_alpha +model_invalid: swiglu_alpha.onnx is of opset", done.stdout
    )
    value = json.loads((place.work / "r.json").read_text())
    assert (value["version"], value["good"], value["interrupted"]) == (1, True, False)
    (suite,) = ET.parse(place.work / "r.xml").getroot()  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("skipped")) == ("3", "1")
    assert place.is_clear()


def test_the_command_validates_models_and_fails_where_the_tolerance_is_too_tight(place):
    graphs.save(graphs.adding(), place.work / "adding.onnx")
    words = ["validate", "MiniLM", "adding.onnx", "--platform", "wasm", "--port", "0"]
    right = place.cli([*words, "--json", "-"])
    assert right.returncode == 0, right.stdout + right.stderr
    (run,) = json.loads(right.stdout)["runs"]
    assert [one["verdict"] for one in run["cases"]] == ["right", "right"]
    assert "the texts" in run["cases"][0]["note"]
    assert "random inputs of seed 0" in run["cases"][1]["note"]
    tight = place.cli([*words, "--tolerance", "1e-12"])
    assert tight.returncode == 1, tight.stdout + tight.stderr
    assert re.search(r"wrong +MiniLM +\w+: .* off by", tight.stdout)
    assert place.is_clear()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("", 2, "name models, or give --operators"),
        ("MiniLM --operators", 2, "and not both"),
        ("--operators -i x=x.npy", 2, "has its own inputs"),
        ("a.onnx b.onnx -i x=x.npy", 2, "inputs are those of one model"),
        ("a.onnx --only relu", 2, "choose among --operators"),
        ("--operators --sample 0", 2, "Invalid value for '--sample'"),
        ("a.onnx --tolerance -1", 2, "it is a number above 0"),
        ("--operators --only nothing_is_called_so", 1, "No case or operator has"),
        ("--operators --only (", 1, "is no pattern"),
        ("--operators --platform webgp", 1, "Did you mean 'webgpu'?"),
        ("--operators --browser chrom", 1, "Did you mean 'chrome'?"),
        ("--operators --allow-fallback cpu", 1, "allow_fallback='cpu' is not there"),
        ("--operators --json none/r.json", 1, "can't be written to none/r.json"),
        ("nonsense --platform wasm", 1, "There is no model 'nonsense'"),
    ],
)
def test_what_can_not_be_validated_is_said_at_once(place, words, code, says):
    done = place.cli(["validate", *words.split()])
    assert done.returncode == code, done.stderr
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_interrupt_prints_what_there_is_so_far(place):
    code = """
        import signal, sys
        import ipfs_accelerate.cli.validate as command
        from ipfs_accelerate.cli import main
        from ipfs_accelerate.validate import session

        def interrupting(plan, cases, report, tell):
            def told(run, outcome):
                tell(run, outcome)
                if len(run.outcomes) == 5:
                    signal.raise_signal(signal.SIGINT)
            return carry_out(plan, cases, report, told)

        carry_out, session.carry_out = session.carry_out, interrupting
        sys.argv = ["", "validate", "--operators", "--only", "cast", "--platform", "wasm",
                    "--port", "0", "--json", "r.json"]
        main()
    """
    done = place.run(code)
    assert done.returncode == 128 + signal.SIGINT, done.stderr
    assert "interrupted: this is what there was so far" in done.stdout
    assert "Traceback" not in done.stderr
    value = json.loads((place.work / "r.json").read_text())
    (run,) = value["runs"]
    assert value["interrupted"]
    assert 5 <= len(run["cases"]) < 60
    assert place.is_clear()
