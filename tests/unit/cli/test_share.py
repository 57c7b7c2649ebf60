"""What is shown of what models share; and the command over real models, with heads made here."""

from __future__ import annotations

import json
import sys
from xml.etree import ElementTree as ET

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from rich.console import Console
from typer.testing import CliRunner

from ipfs_accelerate.cli.main import app
from ipfs_accelerate.cli.share import _shown
from ipfs_accelerate.cli.sharing import print_tables, size_of, tables, work_of
from ipfs_accelerate.doctor.sections import plain
from ipfs_accelerate.errors import ConfigError, ModelError
from ipfs_accelerate.graph import Difference, Explanation, Shared, Total

VALUE = helper.make_tensor_value_info
BASE = "all-MiniLM-L6-v2"


def scores(labels):
    """A classifier on the encoder's vector."""
    weight = np.random.default_rng(labels).standard_normal((384, labels), np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["text_embedding", "W"], ["scores"])],
        "head",
        [VALUE("text_embedding", TensorProto.FLOAT, ["n", 384])],
        [VALUE("scores", TensorProto.FLOAT, ["n", labels])],
        [numpy_helper.from_array(weight, "W")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache folder, so that the real model is built once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def run(cache, monkeypatch):
    monkeypatch.setenv("IPFS_ACCELERATE_CACHE", str(cache))

    def share(*words, **options):
        options = {"catch_exceptions": False, "env": {"COLUMNS": "200"}, **options}
        return CliRunner().invoke(app, ["share", *map(str, words)], **options)

    return share


@pytest.fixture
def heads(tmp_path):
    paths = [tmp_path / f"{name}.onnx" for name in ("sentiment", "topic")]
    for labels, path in enumerate(paths, 3):
        onnx.save(scores(labels), path)
    return [f"MiniLM+{path}" for path in paths]


def lines_of(said):
    return said.stdout.splitlines()


def row(said, beginning):
    """The cells of the line that begins so."""
    (line,) = (one for one in lines_of(said) if one.strip().startswith(beginning))
    return [cell for cell in line.strip().split("  ") if cell]


def test_heads_on_one_encoder_share_it_at_every_level(run, heads):
    said = run(*heads)
    assert said.exit_code == 0
    assert f"{BASE}+sentiment and {BASE}+topic share:" in lines_of(said)
    for level in ("stored and sent once", "held once on a worker", "computed once for an input"):
        assert [float(cell.strip(" %")) > 99 for cell in row(said, level)[2:]] == [True, True]
    assert "MatMul" in said.stdout.split("parts from")[1]


def test_a_head_and_its_base_share_the_base(run, heads):
    said = run("MiniLM", heads[0])
    assert row(said, "computed once for an input")[2] == "100.0%"


def test_three_models_are_told_in_pairs_and_together(run, heads):
    said = run("MiniLM", *heads)
    assert sum(line.endswith(" share:") for line in lines_of(said)) == 4


def test_all_of_it_as_json(run, heads, tmp_path):
    run(*heads, "--json", tmp_path / "shared.json")
    kept = json.loads((tmp_path / "shared.json").read_text())
    printed = run(*heads, "--json", "-").stdout
    assert json.loads(printed) == kept
    assert list(kept["models"]) == [f"{BASE}+sentiment", f"{BASE}+topic"]
    assert kept["format"] == 1
    (both,) = kept["sets"]
    assert both["computed_share"][f"{BASE}+topic"] > 0.99


def test_a_picture_of_the_components(run, heads, tmp_path):
    run(*heads, "--svg", tmp_path / "shared.svg")
    root = ET.fromstring((tmp_path / "shared.svg").read_text())  # noqa: S314 - it is ours
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    words = " ".join(root.itertext())
    assert "sentiment" in words
    assert "topic" in words


def test_names_that_are_not_enough_are_as_they_were_given(run):
    said = run("MiniLM", BASE)
    assert f"MiniLM and {BASE} share:" in lines_of(said)


@pytest.mark.parametrize("words", [[], ["MiniLM"], ["MiniLM", "MiniLM"]])
def test_fewer_than_two_models_are_a_wrong_use(run, words):
    said = run(*words)
    assert said.exit_code == 2
    assert "MODEL" in said.stderr


def test_a_model_that_is_not_there_is_named(run):
    with pytest.raises(ModelError, match="There is no model 'nothing'"):
        run("MiniLM", "nothing")


@pytest.mark.parametrize("option", ["--json", "--svg"])
def test_a_file_that_cannot_be_written_is_said_before_anything_is_read(run, tmp_path, option):
    with pytest.raises(ConfigError, match="can't be written to"):
        run("nothing", "nowhere", option, tmp_path / "missing" / "file")


def test_the_help_says_what_a_model_is(run):
    said = run("--help").stdout
    for word in ("BASE+HEAD.onnx", "--json", "--svg", "no browser is started"):
        assert word in said


def made(**options):
    shares = {"a": 0.5, "b": 1.0}
    shared = Shared(
        models=("a", "b"),
        stored=90_600_000,
        held=46_875_000,
        computed=1_234,
        held_twice=options.pop("held_twice", 0),
        stored_share=shares,
        held_share=shares,
        computed_share=shares,
    )
    totals = {"a": Total(181_200_000, 2_468, 1_202), "b": Total(90_600_000, 1_234, 9)}
    return Explanation(totals, (shared,), options.pop("differences", ()))


def test_the_three_levels_stand_apart():
    assert list(plain(tables(made()))) == [
        "The models:",
        "  model  weights  work of a run  operators",
        "  a      181 MB   2.47 kMAC      1,202",
        "  b      90.6 MB  1.23 kMAC      9",
        "a and b share:",
        "  shared                      how much   of a   of b",
        "  stored and sent once        90.6 MB    50.0%  100.0%",
        "  held once on a worker       46.9 MB    50.0%  100.0%",
        "  computed once for an input  1.23 kMAC  50.0%  100.0%",
    ]


def test_what_is_stored_once_and_held_by_each_is_said():
    (_, shared) = tables(made(held_twice=43_725_000))
    assert shared.rows[-1] == ("stored once, yet held by each", "43.7 MB", "", "")


def test_what_keeps_them_apart_is_told_with_the_commonest_first():
    weights = tuple(f"float32[384, {number}] bafkrei{number}{'x' * 50}" for number in range(4))
    kinds = tuple(Difference(("a", "b"), "other inputs", f"Op{n}", 2) for n in range(8))
    apart = (
        *kinds,
        Difference(("a", "b"), "other weights", "MatMul", 36, weights=weights),
        Difference(("a", "b"), "another operator", "Erf", 3, instead=("Gelu", "Tanh")),
        Difference(("a", "b"), "other inputs", "Cast", 4, inputs=("attention_mask int32",)),
        Difference(("b", "a"), "other attributes", "Softmax", 6),
    )
    *_, one, other = tables(made(differences=apart))
    assert one.title == "Where a parts from b"
    assert one.rows[:3] == (
        (
            "other weights",
            "MatMul",
            "36",
            "float32[384, 0] bafkrei0xxxx..., float32[384, 1] bafkrei1xxxx..., and 2 more",
        ),
        ("other inputs", "Cast", "4", "attention_mask int32"),
        ("another operator", "Erf", "3", "Gelu, Tanh stands there"),
    )
    assert one.rows[-1] == ("and 3 kinds more", "", "6", "")
    assert other.columns == ("why", "operator", "nodes")
    assert other.rows == (("other attributes", "Softmax", "6"),)


def test_a_model_that_cannot_be_cut_says_why():
    held = tables(made(), {"a": "it has sparse initializers"})[1]
    assert (held.title, held.rows) == ("Held whole", (("a", "it has sparse initializers"),))


def test_a_person_gets_tables(capsys):
    console = Console(force_terminal=True, width=100)
    print_tables(console, tables(made()))
    shown = capsys.readouterr().out
    assert "\x1b[" in shown
    assert "a and b share" in shown
    assert "46.9 MB" in shown


def test_a_person_sees_what_it_is_doing(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with _shown() as tell:
        tell("Reading [a]")
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (999_600, "1 MB"),
        (90_261_504, "90.3 MB"),
        (2_000_000_000, "2 GB"),
    ],
)
def test_sizes_are_as_a_person_reads_them(count, words):
    assert size_of(count) == words
    assert work_of(count) == words.replace("B", "MAC")
    assert work_of(10**12) == "1 TMAC"
