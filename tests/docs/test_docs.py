"""The documents tell the truth: snippets run, and every option, error and name is in them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest
import typer

import ipfs_accelerate
from ipfs_accelerate import pytest_plugin
from ipfs_accelerate.cli.main import app
from ipfs_accelerate.config import Config
from ipfs_accelerate.errors import HINTS
from ipfs_accelerate.result import Result
from ipfs_accelerate.validate import tolerance
from ipfs_accelerate.validate.verdicts import Verdict

ROOT = Path(__file__).parents[2]
PYTHON = (ROOT / "docs/python.md").read_text()
VALIDATE = (ROOT / "docs/validate.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
PAGES += sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "spec").rglob("*.md"))


def snippets() -> list[tuple[str, str]]:
    found = []
    for page in (ROOT / "README.md", ROOT / "docs/python.md"):
        codes = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
        found += [(f"{page.stem}-{number}", code) for number, code in enumerate(codes)]
    return found


def run(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(("name", "code"), snippets(), ids=[name for name, _ in snippets()])
def test_a_snippet_runs_as_it_stands(name: str, code: str, tmp_path: Path) -> None:
    script = tmp_path / f"{name}.py"
    script.write_text(code)
    done = run(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_every_option_is_documented_with_its_default_folder() -> None:
    documented = re.findall(r"^\| `(\w+)` \|", PYTHON.split("## Options")[1], re.MULTILINE)
    assert documented == list(get_type_hints(Config))


def test_every_option_says_what_it_is() -> None:
    for name, hint in get_type_hints(Config, include_extras=True).items():
        assert get_origin(hint) is Annotated, name
        assert get_args(hint)[1], name


def test_every_name_of_a_result_is_documented() -> None:
    section = PYTHON.split("## The result")[1].split("## Options")[0]
    rows = [row for row in section.splitlines() if row.startswith("| `")]
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert documented == set(get_type_hints(Result))


def test_every_method_of_the_accelerator_is_documented() -> None:
    section = PYTHON.split("## Any ONNX file")[0]
    for name, member in vars(ipfs_accelerate.Accelerator).items():
        if callable(member) and not name.startswith("_"):
            assert f"`{name}" in section, name


def test_both_faces_have_the_same_methods() -> None:
    def public(kind: type) -> set[str]:
        return {name for name in dir(kind) if not name.startswith("_")}

    assert public(ipfs_accelerate.Accelerator) == public(ipfs_accelerate.AsyncAccelerator)
    assert public(ipfs_accelerate.Model) == public(ipfs_accelerate.AsyncModel)


def test_every_error_is_documented_and_says_what_to_do() -> None:
    errors = json.loads((ROOT / "spec/errors.json").read_text())["errors"]
    page = (ROOT / "docs/errors.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (yes|no) \| (.+) \|$", page, re.MULTILINE)
    assert {code: (about, retry == "yes") for code, about, retry, _ in rows} == {
        code: (entry["about"], entry["retryable"]) for code, entry in errors.items()
    }
    advice = {code: advice for code, _, _, advice in rows}
    assert {code: advice[code] for code in HINTS} == HINTS


def rows_of(section: str) -> list[list[str]]:
    """The cells of the tables below this heading."""
    text = VALIDATE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return [re.split(r" ?\| ?", row)[1:-1] for row in text.splitlines() if row.startswith("| `")]


def test_every_option_of_validate_is_documented() -> None:
    command = typer.main.get_command(app).commands["validate"]  # type: ignore[attr-defined]
    options = {one.opts[0] for one in command.params if one.param_type_name == "option"}
    assert {cells[0].strip("`") for cells in rows_of("Options")} == options


def test_every_option_and_fixture_of_the_pytest_plugin_is_documented() -> None:
    source = Path(pytest_plugin.__file__).read_text()
    options = set(re.findall(r'addoption\(\s*"([\w-]+)"', source))
    assert len(options) == 2
    fixtures = {"accelerator", "assert_close_to_native"}
    assert {cells[0].strip("`") for cells in rows_of("In pytest")} == options | fixtures


def test_every_verdict_is_documented() -> None:
    assert [cells[0].strip("`") for cells in rows_of("Verdicts")] == list(Verdict)


def test_every_tolerance_is_documented() -> None:
    documented = {
        cells[0].strip("`"): tuple(map(float, cells[1:])) for cells in rows_of("Tolerances")
    }
    tables = (tolerance.MODELS, tolerance.OPERATORS)
    assert documented == {
        dtype: tuple(table[dtype] for table in tables) for dtype in tolerance.MODELS
    }


def test_every_field_of_the_validations_json_is_documented() -> None:
    named = {
        name for cells in rows_of("The JSON") for name in re.findall(r"`(\w+)`", " ".join(cells))
    }
    source = (ROOT / "src/ipfs_accelerate/validate/report.py").read_text()
    fields = set(re.findall(r'^        "(\w+)":', source, re.MULTILINE))
    assert len(fields) > 20
    assert fields <= named


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_and_named_files_are_there(page: Path) -> None:
    text = page.read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / target).exists(), target
    for target in re.findall(r"`(?:pytest|python) ([\w/.]+)", text):
        assert (ROOT / target).exists(), target


def test_public_names_have_docstrings() -> None:
    for name in ipfs_accelerate.__all__:
        if name != "__version__":
            assert getattr(ipfs_accelerate, name).__doc__, name


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    done = run(example, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
