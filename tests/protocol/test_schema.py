"""The dataclasses against spec/messages.schema.json, and errors.py against spec/errors.json."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ipfs_accelerate import errors
from ipfs_accelerate.errors import AccelerateError, ProtocolError, from_code
from ipfs_accelerate.protocol import messages
from ipfs_accelerate.protocol.messages import Message, parse, to_json
from ipfs_accelerate.protocol.strict_json import MAX_NUMBER

SPEC = Path(__file__).parents[2] / "spec"
SCHEMA = json.loads((SPEC / "messages.schema.json").read_text("utf-8"))
CODES = json.loads((SPEC / "errors.json").read_text("utf-8"))["errors"]
VALIDATOR = Draft202012Validator(SCHEMA)
# What the schema describes of `value`, and no message is made of.
VALUES = {"Id", "Count", "Reference", "Port", "LoadValue", "StepValue", "RunValue", "DropValue"}
VALUES |= {"Ability", "ProbeValue", "KeptValue", "TallyValue"}

ids = st.integers(1, MAX_NUMBER)
counts = st.integers(0, MAX_NUMBER)
texts = st.text(max_size=5)
limits = st.builds(messages.Limits, st.integers(1024, MAX_NUMBER), st.integers(1024, MAX_NUMBER))
capabilities = st.builds(
    messages.Capabilities,
    st.lists(texts, max_size=2).map(tuple),
    texts,
    counts,
    counts,
    st.booleans(),
)
blocks = st.builds(messages.Block, texts, counts)
weights = st.builds(messages.Weight, texts, texts, counts)
references = (
    st.builds(messages.TensorRef, texts)
    | st.builds(messages.HandleRef, ids)
    | st.builds(messages.StepRef, counts, texts)
)
steps = st.builds(messages.Step, texts, st.dictionaries(texts, references, max_size=2))
fetches = st.builds(messages.Fetch, references, texts)
keeps = st.builds(messages.Keep, counts, texts, ids)
objects = st.dictionaries(texts, counts | texts | st.none(), max_size=2)


def several(one: Any) -> Any:
    return st.lists(one, max_size=2).map(tuple)


lent = st.builds(messages.Lent, texts, texts, counts, texts, several(counts))


MESSAGES: Any = st.one_of(
    st.builds(
        messages.Hello,
        counts,
        st.sampled_from(["host", "page", "engine"]),
        texts,
        limits,
        st.none() | capabilities,
    ),
    st.builds(messages.Goodbye, texts),
    st.builds(
        messages.Beat,
        st.sampled_from(["starting", "idle", "busy", "ended"]),
        st.none() | ids,
        st.none() | st.floats(0, MAX_NUMBER),
    ),
    st.builds(
        messages.Load,
        texts,
        texts,
        st.booleans(),
        st.dictionaries(texts, counts, max_size=2),
        blocks,
        several(weights),
        several(lent),
        ids,
    ),
    st.builds(messages.Unload, texts, ids),
    st.builds(messages.Run, several(steps), several(fetches), several(keeps), ids),
    st.builds(messages.Put, ids, ids),
    st.builds(messages.Get, ids, ids),
    st.builds(messages.Drop, several(ids), ids),
    st.builds(messages.Ping, ids),
    st.builds(messages.Probe, several(texts), st.booleans(), ids),
    st.builds(messages.Tally, ids),
    st.builds(messages.Restart, texts, texts, ids),
    st.builds(messages.Cancel, ids),
    st.builds(messages.Progress, ids, texts, counts, counts),
    st.builds(messages.Result, ids, objects),
    st.builds(messages.Error, ids, texts, texts, objects),
    st.builds(messages.Part, ids, counts, counts),
    st.builds(messages.Abort, ids),
)
ODD: Any = st.sampled_from(
    [None, True, 0, 1, -1, 1.0, 1.5, 2**53, "", "host", "x", [], [1], ["x"], {}, {"a": 1}]
)


def is_taken(raw: Any) -> bool:
    try:
        parse(raw)
    except ProtocolError:
        return False
    return True


@given(MESSAGES)
def test_every_message_fits_the_schema(message):
    raw = to_json(message)
    VALIDATOR.validate(raw)
    assert parse(raw) == message


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container and key below `value`."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    found = [(value, key) for key in keys]
    for key in keys:
        if isinstance(value[key], dict | list):
            found += places(value[key])
    return found


@given(MESSAGES, st.data())
def test_a_changed_message_is_taken_where_the_schema_takes_it(message, data):
    raw = json.loads(json.dumps(to_json(message)))
    container, key = data.draw(st.sampled_from(places(raw)))
    change = data.draw(st.sampled_from(["replace", "remove", "add"]))
    if change == "replace":
        container[key] = data.draw(ODD)
    elif change == "remove":
        del container[key]
    elif isinstance(container, dict):
        container["extra"] = data.draw(ODD)
    assert is_taken(raw) == VALIDATOR.is_valid(raw)


def test_the_schema_has_no_other_messages():
    classes = {cls.__name__ for cls in get_args(Message)}
    listed = {one["$ref"].rsplit("/", 1)[1] for one in SCHEMA["oneOf"]}
    assert classes == listed


@pytest.mark.parametrize("name", sorted(SCHEMA["$defs"].keys() - VALUES))
def test_the_fields_are_those_of_the_schema(name):
    wanted = SCHEMA["$defs"][name]
    cls = getattr(messages, name)
    keys = {field.name.removesuffix("_"): field for field in fields(cls)}
    assert keys.keys() == wanted["properties"].keys() - {"type"}
    optional = {key for key, field in keys.items() if field.default is None}
    assert keys.keys() - optional == set(wanted["required"]) - {"type"}


def subclasses() -> list[type[AccelerateError]]:
    return [
        getattr(errors, cls.__name__)
        for cls in AccelerateError.__subclasses__()
        if cls.__module__ == errors.__name__
    ]


@pytest.mark.parametrize("code", CODES)
def test_a_code_has_its_class_and_retryability(code):
    error = from_code(code, "text", {"a": 1})
    assert type(error).__name__ == CODES[code]["class"]
    assert error.retryable == CODES[code]["retryable"]
    assert (error.code, error.message, error.details) == (code, "text", {"a": 1})


def test_the_table_of_errors_is_whole():
    assert errors.CLASS_OF_CODE.keys() == CODES.keys()
    for cls in subclasses():
        assert CODES[cls.default_code]["class"] == cls.__name__
        assert all(CODES[code]["class"] == cls.__name__ for code in cls.retryable_codes)
        assert cls.__name__ in str(errors.__doc__)


def test_a_code_of_another_version_is_kept():
    error = from_code("tired", "text")
    assert type(error) is AccelerateError
    assert (error.code, error.retryable) == ("tired", False)
