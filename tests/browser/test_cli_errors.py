"""The command says what is wrong in one clear text on stderr, and leaves nothing behind."""

import numpy as np
import pytest
from tests.browser import graphs
from tests.browser.refusals import X
from tests.browser.scripts import Place


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    graphs.save(graphs.adding(), place.work / "adding.onnx")
    np.save(place.work / "x.npy", X["x"])
    np.save(place.work / "wide.npy", X["x"].astype(np.float64))
    (place.work / "empty.npy").touch()
    return place


def refused(place, words, code, **more):
    """What the command says on stderr, and nothing on stdout, where it ends with this code."""
    done = place.cli(words, **more)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert place.is_clear()
    return done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("run nonsense", "error model_not_found There is no model 'nonsense'"),
        ("run [/b]", "There is no model '[/b]'"),
        ("run adding.onnx", "error input_missing The input 'x' is missing: expected float32[n]"),
        ("run adding.onnx -i x=wide.npy", "expected float32[n], got float64[2]"),
        ("run adding.onnx -i x=none.npy", "No such file or directory: 'none.npy'"),
        ("run adding.onnx -i x=empty.npy", "The input 'x' can't be read from empty.npy"),
        ("run adding.onnx -i x=x.npy --save x.npy", "can't be saved in x.npy: File exists"),
        ("embed x --browser-path none", "names a browser at none, which does not exist"),
        ("embed x --threads 0", "error bad_option threads=0 does not fit"),
        ("embed \udcff", r"error input_mismatch The text '\udcff' cannot be encoded"),
    ],
)
def test_what_can_not_be_done_ends_with_1_and_a_hint(place, words, says):
    words = [*words.split(), "--port", "0"]
    text, hint = refused(place, words, 1).splitlines()
    assert text.startswith("error ")
    assert says in text
    assert hint


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("run", "Missing argument 'model'"),
        ("run adding.onnx -i [/x]", "'[/x]' is not NAME=FILE.npy"),
        ("embed", "there is no text"),
        ("embed x --treads 2", "No such option: --treads"),
        ("embed x --port many", "Invalid value for '--port'"),
        ("embedd x", "No such command 'embedd'"),
    ],
)
def test_what_was_not_understood_ends_with_2_and_the_usage(place, words, says):
    said = refused(place, words.split(), 2)
    assert says in said
    assert "Usage: " in said


def test_what_is_piped_and_no_text_is_said_to_be_none(place):
    strict = place.environment() | {"PYTHONIOENCODING": "utf-8:strict"}
    said = refused(
        place, ["embed"], 1, input=b"a\xff\n".decode("latin-1"), encoding="latin-1", env=strict
    )
    assert "What came by stdin is no text" in said
