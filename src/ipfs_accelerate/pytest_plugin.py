"""A pytest plugin: tests that run models in real browsers, and hold them against native numbers.

    def test_my_model(accelerator, assert_close_to_native):
        assert_close_to_native("model.onnx", {"x": x})

`pytest --accelerate-browsers=chromium,edge --accelerate-platform=webgpu` runs it in each of them.
Every pytest run of whoever has installed this loads this file: it imports nothing that is heavy.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ipfs_accelerate import Accelerator, Result


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of whoever uses the fixture `accelerator`."""
    group = parser.getgroup("accelerate", "models in real browsers")
    group.addoption(
        "--accelerate-browsers",
        metavar="NAMES",
        help="Run each test that uses `accelerator` in each of these browsers, as in "
        "chromium,edge; by default in the first one found.",
    )
    group.addoption(
        "--accelerate-platform",
        metavar="NAME",
        default="auto",
        help="Where `accelerator` runs models: webgpu, webnn, wasm, or the fastest (auto).",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test for each browser of each that needs one."""
    named = metafunc.config.getoption("--accelerate-browsers")
    if named and "accelerate_browser" in metafunc.fixturenames:
        browsers = [name.strip() for name in named.split(",")]
        metafunc.parametrize("accelerate_browser", browsers, indirect=True, scope="session")


@pytest.fixture(scope="session")
def accelerate_browser(request: pytest.FixtureRequest) -> str | None:
    """The name of the browser that `accelerator` runs in; None for the first one found."""
    named: str | None = getattr(request, "param", None)
    return named


@pytest.fixture(scope="session")
def accelerator(
    accelerate_browser: str | None, pytestconfig: pytest.Config
) -> Iterator[Accelerator]:
    """An accelerator with one browser, which is ended when the last of its tests has."""
    from ipfs_accelerate import Accelerator  # noqa: PLC0415 - for those who ask for it

    platform = pytestconfig.getoption("--accelerate-platform")
    with Accelerator(browser=accelerate_browser, platform=platform) as made:
        yield made


@pytest.fixture
def assert_close_to_native(accelerator: Accelerator) -> Callable[..., Result]:
    """`assert_close_to_native(model, inputs)`: the browser's outputs are native onnxruntime's.

    `model` is the path of an ONNX file, `inputs` its named arrays; `tolerance` is float32's. The
    result comes back.
    """
    from ipfs_accelerate.validate import native, tolerance  # noqa: PLC0415 - as above
    from ipfs_accelerate.validate.compare import compare  # noqa: PLC0415

    def check(model: str | Path, inputs: dict[str, Any], float32: float = 1e-4) -> Result:
        native.require()
        right = native.run(Path(model), inputs)
        result = accelerator.run(model, inputs)
        allowed = tolerance.scaled(tolerance.MODELS, float32)
        difference = compare(result.output_tensors, right, allowed)
        assert difference is None, f"{result.browser} {result.platform}: {difference}"  # noqa: S101 - a test's
        return result

    return check
