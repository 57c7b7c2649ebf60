from __future__ import annotations

import json
from pathlib import Path

import pytest

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.messages import (
    Fetch,
    HandleRef,
    Keep,
    Ping,
    Run,
    Step,
    StepRef,
    TensorRef,
    parse,
    to_json,
    type_name,
)

VECTORS = Path(__file__).parents[2] / "spec" / "vectors" / "messages.json"
VALID = json.loads(VECTORS.read_text("utf-8"))["valid"]

RUN = Run(
    steps=(
        Step("m", {"ids": TensorRef("ids"), "state": HandleRef(5)}),
        Step("n", {"x": StepRef(0, "y")}),
    ),
    fetch=(Fetch(StepRef(1, "z"), as_="vector"),),
    keep=(Keep(0, "y", 6),),
    id=3,
)


def test_a_plan_is_written_as_the_schema_has_it():
    assert to_json(RUN) == {
        "type": "run",
        "id": 3,
        "steps": [
            {"model": "m", "inputs": {"ids": {"tensor": "ids"}, "state": {"handle": 5}}},
            {"model": "n", "inputs": {"x": {"step": 0, "output": "y"}}},
        ],
        "fetch": [{"of": {"step": 1, "output": "z"}, "as": "vector"}],
        "keep": [{"step": 0, "output": "y", "handle": 6}],
    }
    assert parse(to_json(RUN)) == RUN


@pytest.mark.parametrize("case", VALID, ids=lambda case: case["about"])
def test_every_message_is_read_and_written(case):
    message = parse(case["message"])
    assert to_json(message) == case["message"]
    assert type_name(message) == case["message"]["type"]


def test_a_request_has_no_id_until_the_session_sets_one():
    assert Ping().id == 0
    with pytest.raises(ProtocolError, match="The message ping, field id"):
        parse(to_json(Ping()))


@pytest.mark.parametrize("kind", ["shout", "step", None, 1, ["ping"], {}])
def test_an_unknown_type_is_refused(kind):
    with pytest.raises(ProtocolError, match="which is unknown"):
        parse({"type": kind, "id": 1})


def test_a_misfit_names_the_message_and_the_field():
    raw = to_json(RUN)
    raw["steps"][0]["inputs"]["ids"] = {"tensor": 1}
    with pytest.raises(ProtocolError) as caught:
        parse(raw)
    assert caught.value.code == "bad_frame"
    assert caught.value.details == {"type": "run", "field": "steps.0.inputs.ids.tensor"}
    assert "The message run, field steps.0.inputs.ids.tensor: it is not text." in str(caught.value)
