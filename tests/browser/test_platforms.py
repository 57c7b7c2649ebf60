"""Where models really run: each platform against native onnxruntime, and what may stand in."""

import logging
from dataclasses import replace

import numpy as np
import pytest
from tests.browser import graphs, native
from tests.browser.test_numbers import TOLERANCE, text_of

from ipfs_accelerate import Accelerator
from ipfs_accelerate.errors import AccelerateError
from ipfs_accelerate.models import BlockStore, golden, resolve
from ipfs_accelerate.models.catalog import DEFAULT
from ipfs_accelerate.models.text import TextProcessor
from ipfs_accelerate.pool.library import MOST_SHAPES

EIGHT_TOKENS = text_of(6)
SOFTWARE = [("chromium", "webgpu"), ("portable", "webgpu"), ("firefox", "webgpu")]
ON_THE_CPU = [("portable", "webnn"), ("portable", "wasm"), ("firefox", "wasm")]
DEVICES = [("chromium", "webgpu"), ("portable", "webnn")]


@pytest.fixture(scope="module")
def browsers(shared_cache):
    """Accelerators by their browser, each started once, with one thread of WASM."""
    made: dict[str, Accelerator] = {}

    def of(browser):
        if browser not in made:
            made[browser] = Accelerator(
                cache_dir=shared_cache, websocket_port=0, browser=browser, threads=1
            )
        return made[browser]

    yield of
    for one in made.values():
        one.close()


@pytest.fixture(scope="module")
def natively(shared_cache):
    store = BlockStore(shared_cache)
    manifest = resolve(DEFAULT, store)
    text = TextProcessor(manifest, store)

    def embed(texts):
        (vectors,) = native.run(store.path(manifest.graph.cid), text(texts)).values()
        return vectors

    return embed


@pytest.mark.parametrize(("browser", "platform"), SOFTWARE + ON_THE_CPU)
def test_minilm_is_native_minilm_wherever_it_runs(browsers, natively, browser, platform):
    result = browsers(browser).embed(EIGHT_TOKENS, platform=platform)
    assert np.abs(result.output - natively([EIGHT_TOKENS])).max() < TOLERANCE
    device = "software-gpu" if platform == "webgpu" else "cpu"
    assert (result.browser, result.platform) == (browser, platform)
    assert (result.backend, result.device) == (platform, device)
    assert not result.is_real_hardware
    assert not result.is_simulation
    assert result.fell_back == ()
    assert result.inference_time > 0


def test_webnn_takes_any_shape_and_holds_few_of_them(browsers, natively):
    for number in range(MOST_SHAPES + 2):
        texts = [text_of(3 + 13 * number + row, row) for row in range(1 + number % 2)]
        result = browsers("portable").embed(texts, platform="webnn")
        assert np.abs(result.output - natively(texts)).max() < TOLERANCE
    pool = browsers("portable")._core._pool
    (worker,) = pool._workers.values()
    assert len([key for key in worker.library.models if " webnn " in key]) <= MOST_SHAPES


@pytest.mark.parametrize(("browser", "platform"), DEVICES)
def test_between_two_models_a_tensor_stays_on_the_device(browsers, tmp_path, browser, platform):
    first = graphs.save(graphs.adding(), tmp_path / "first.onnx")
    second = graphs.save(graphs.scaling(), tmp_path / "second.onnx")
    accelerator, x = browsers(browser), np.arange(6, dtype=np.float32)
    one = accelerator.run(first, {"x": x}, keep=["out"], platform=platform)
    kept = one.output_tensors["out"]
    two = accelerator.run(second, {"x": kept}, platform=platform)
    assert np.array_equal(two.output, (x + 1) * 2)
    assert (kept.dtype, kept.shape) == ("float32", (6,))
    # Whoever reads back is counted, onnxruntime itself too: only what was fetched came back.
    assert one.performance_metrics["readbacks"] == 0
    assert two.performance_metrics["readbacks"] == 1
    assert np.array_equal(accelerator.get(kept), x + 1)
    assert accelerator.drop(kept) == 1


@pytest.mark.parametrize(("browser", "platform"), [*DEVICES, ("portable", "wasm")])
def test_a_tensor_outlives_the_model_that_made_it_and_nothing_outlives_its_drop(
    make, tmp_path, browser, platform
):
    first = graphs.save(graphs.adding(), tmp_path / "first.onnx")
    second = graphs.save(graphs.scaling(), tmp_path / "second.onnx")
    accelerator, x = make(browser=browser, platform=platform), np.arange(6, dtype=np.float32)
    kept = accelerator.run(first, {"x": x}, keep=["out"]).output
    put = accelerator.put(x)
    assert np.array_equal(accelerator.run(second, {"x": put}).output, x * 2)
    accelerator.unload(first)
    accelerator.unload(second)
    assert np.array_equal(accelerator.get(kept), x + 1)
    assert accelerator.drop(kept, put) == 2
    (worker,) = accelerator._core._pool._workers.values()
    assert set(accelerator._portal.call(worker.tally).values()) == {0}


def test_a_tensor_that_was_put_goes_to_the_device_once(browsers, tmp_path):
    path = graphs.save(graphs.scaling(), tmp_path / "scaling.onnx")
    accelerator, x = browsers("chromium"), np.arange(4, dtype=np.float32)
    held = accelerator.put(x)
    for platform in ("webgpu", "wasm", "webgpu"):
        result = accelerator.run(path, {"x": held}, platform=platform)
        assert np.array_equal(result.output, x * 2)
    assert np.array_equal(accelerator.get(held), x)
    assert accelerator.drop(held) == 1


def test_a_software_adapter_is_said_in_one_loud_line(shared_cache, tmp_path, caplog):
    path = graphs.save(graphs.adding(), tmp_path / "adding.onnx")
    options = {"cache_dir": shared_cache, "websocket_port": 0, "browser": "chromium"}
    with Accelerator(**options, platform="webgpu") as accelerator:
        for _ in range(3):
            accelerator.run(path, {"x": np.zeros(3, np.float32)}, remember=False)
    (said,) = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert "software adapter" in said.getMessage()
    assert "swiftshader" in said.getMessage()


@pytest.mark.parametrize("platform", ["auto", "webgpu", "webnn", "wasm"])
def test_hardware_that_is_required_and_not_there_is_an_error_with_what_was_found(
    browsers, platform
):
    with pytest.raises(AccelerateError) as caught:
        browsers("portable").embed("anything", platform=platform, require_hardware=True)
    assert caught.value.code == "hardware_required"
    found = {"webgpu": "swiftshader", "webnn": "its cpu", "wasm": "wasm"}.get(platform, "its cpu")
    assert found in str(caught.value)
    assert caught.value.hint


def test_auto_takes_the_fastest_by_measurement(browsers, shared_cache):
    fast = browsers("portable").embed("anything")
    assert (fast.platform, fast.device) == ("webnn", "cpu")
    with Accelerator(cache_dir=shared_cache, websocket_port=0, browser="portable", threads=1) as a:
        again = a.embed("anything")  # by what was remembered
    assert again.platform == "webnn"


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_auto_never_takes_a_software_adapter(browsers, browser):
    result = browsers(browser).embed("anything")
    assert (result.platform, result.device) == ("wasm", "cpu")


@pytest.mark.parametrize(("browser", "platform"), DEVICES)
def test_an_operator_that_is_lacking_is_refused_by_name_and_run_where_allowed(
    browsers, tmp_path, browser, platform
):
    path = graphs.save(graphs.determinant(), tmp_path / "determinant.onnx")
    accelerator = browsers(browser)
    x = np.array([[2, 1], [0, 3]], np.float32)
    with pytest.raises(AccelerateError, match="Det") as caught:
        accelerator.run(path, {"x": x}, platform=platform)
    assert caught.value.code == "operator_unsupported"
    assert caught.value.details["operators"] == ["Det"]
    assert "allow_fallback" in (caught.value.hint or "")
    result = accelerator.run(path, {"x": x}, platform=platform, allow_fallback=["wasm"])
    assert result.output == pytest.approx(6)
    assert result.fell_back == ("Det",)
    assert result.backend == f"{platform}+wasm"


def test_a_platform_that_is_not_there_is_an_error_unless_another_may_stand_in(browsers, tmp_path):
    path = graphs.save(graphs.adding(), tmp_path / "adding.onnx")
    accelerator, x = browsers("firefox"), np.zeros(2, np.float32)
    with pytest.raises(AccelerateError, match="webnn is not there") as caught:
        accelerator.run(path, {"x": x}, platform="webnn")
    assert caught.value.code == "platform_unavailable"
    result = accelerator.run(path, {"x": x}, platform="webnn", allow_fallback=["wasm"])
    assert result.platform == "wasm"
    assert np.array_equal(result.output, x + 1)


@pytest.mark.parametrize(("browser", "platform"), [("portable", "webnn"), ("chromium", "wasm")])
def test_a_golden_vector_that_fails_keeps_the_worker_from_serving(
    make, monkeypatch, tmp_path, browser, platform
):
    right = golden.golden_of(DEFAULT)
    assert right is not None
    wrong = {name: -one for name, one in right.outputs.items()}
    planted = replace(right, outputs=wrong)
    monkeypatch.setattr("ipfs_accelerate.calls.golden_of", lambda _: planted)
    accelerator = make(browser=browser, platform=platform)
    for _ in range(2):
        with pytest.raises(AccelerateError, match=f"{platform} on the cpu of {browser}") as caught:
            accelerator.embed("anything")
        assert caught.value.code == "wrong_numbers"
        assert "does not serve" in str(caught.value)
    path = graphs.save(graphs.adding(), tmp_path / "adding.onnx")
    x = np.zeros(2, np.float32)
    assert np.array_equal(accelerator.run(path, {"x": x}).output, x + 1)


def test_a_platform_that_computes_wrongly_is_passed_over_where_another_may_stand_in(
    make, monkeypatch, natively
):
    right = golden.golden_of(DEFAULT)
    assert right is not None
    faults = iter(["planted"])
    planted = replace(right)
    monkeypatch.setattr(golden.Golden, "fault", lambda *_: next(faults, None))
    monkeypatch.setattr("ipfs_accelerate.calls.golden_of", lambda _: planted)
    accelerator = make(browser="portable", platform="webnn", allow_fallback=["wasm"])
    result = accelerator.embed(EIGHT_TOKENS)
    assert result.platform == "wasm"
    assert np.abs(result.output - natively([EIGHT_TOKENS])).max() < TOLERANCE


def test_an_engine_without_devices_is_replaced_by_one_that_has_them(make, natively):
    accelerator = make(browser="portable", platform="wasm")
    for platform in ("wasm", "webnn", "wasm"):
        result = accelerator.embed(EIGHT_TOKENS, platform=platform, remember=False)
        assert result.platform == platform
        assert np.abs(result.output - natively([EIGHT_TOKENS])).max() < TOLERANCE
