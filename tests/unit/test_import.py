"""Importing loads nothing heavy, and making an accelerator nothing that only a model needs."""

import subprocess
import sys

import pytest

HEAVY = {"numpy", "onnx", "starlette", "uvicorn", "websockets", "rich", "typer", "tokenizers"}
TELL = "; import sys; print(*{name.partition('.')[0] for name in sys.modules})"


def loaded_by(code):
    """The packages that a fresh interpreter has loaded when it has run this."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code + TELL],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import ipfs_accelerate",
        "from ipfs_accelerate import errors",
        "from ipfs_accelerate import AccelerateError, ConfigError, Result",
        "from ipfs_accelerate import Accelerator, AsyncAccelerator",
        "from ipfs_accelerate import Accelerator; Accelerator(threads=2)",
    ],
)
def test_nothing_heavy_is_loaded(code):
    assert not loaded_by(code) & HEAVY


@pytest.mark.parametrize("name", ["fixed_web_platform.resource_pool_integration", "resource_pool"])
def test_nor_by_the_guides_names(name):
    assert not loaded_by(f"import {name}") & HEAVY


def test_what_is_heavy_is_seen_where_it_is_loaded():
    assert {"numpy", "onnx"} <= loaded_by("import ipfs_accelerate.models.onnx_file")


def test_the_commands_help_waits_for_no_model():
    assert not loaded_by("import ipfs_accelerate.cli") & {"numpy", "onnx", "tokenizers", "uvicorn"}
