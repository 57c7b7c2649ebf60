"""Where a model runs: the wish against what was measured."""

from dataclasses import replace

import pytest

from ipfs_accelerate.config import Wish
from ipfs_accelerate.errors import PoolError
from ipfs_accelerate.pool.platforms import (
    PLAIN_WASM,
    Ability,
    abilities_of,
    able,
    candidates,
    ranked,
)

GPU = Ability("webgpu", "gpu", "nvidia ada", gflops=900)
SOFTWARE = Ability("webgpu", "software-gpu", "google swiftshader", gflops=400)
NPU = Ability("webnn", "npu", gflops=300)
XNNPACK = Ability("webnn", "cpu", gflops=78)
WASM = Ability("wasm", "cpu", gflops=20)
NO_GPU = Ability("webgpu", about="it has no WebGPU")
NO_WEBNN = Ability("webnn", about="it has no backend")


@pytest.mark.parametrize(
    ("wish", "abilities", "chosen"),
    [
        (Wish(), [SOFTWARE, XNNPACK, WASM], XNNPACK),
        (Wish(), [SOFTWARE, NO_WEBNN, WASM], WASM),
        (Wish(), [WASM, GPU, XNNPACK], GPU),
        (Wish("webgpu"), [SOFTWARE, WASM], SOFTWARE),
        (Wish("wasm"), [GPU, WASM], WASM),
        (Wish("webnn", allow_fallback=("webgpu", "wasm")), [SOFTWARE, NO_WEBNN, WASM], SOFTWARE),
        (Wish("webnn", allow_fallback=("wasm",)), [WASM], WASM),
        (Wish(require_hardware=True), [SOFTWARE, NPU, WASM], NPU),
        (Wish("webgpu", require_hardware=True), [GPU, NPU], GPU),
        (Wish("webgpu", require_hardware=True, allow_fallback=("webnn",)), [SOFTWARE, NPU], NPU),
    ],
)
def test_the_wish_decides_and_then_the_measure(wish, abilities, chosen):
    assert ranked(wish, abilities, "chromium")[0] == chosen


@pytest.mark.parametrize(
    ("wish", "abilities", "code", "says"),
    [
        (Wish("webnn"), [NO_WEBNN, WASM], "platform_unavailable", "it has no backend"),
        (Wish("webgpu"), [WASM], "platform_unavailable", "on webgpu: wasm runs on its cpu"),
        (Wish(), [SOFTWARE], "platform_unavailable", "any platform"),
        (Wish(), [], "platform_unavailable", "nothing was found"),
        (Wish(require_hardware=True), [SOFTWARE, XNNPACK], "hardware_required", "swiftshader"),
        (
            Wish("webnn", require_hardware=True),
            [XNNPACK],
            "hardware_required",
            "webnn runs on its cpu",
        ),
    ],
)
def test_where_nothing_will_do_the_error_says_what_is_there(wish, abilities, code, says):
    with pytest.raises(PoolError) as caught:
        ranked(wish, abilities, "chromium")
    assert caught.value.code == code
    assert says in str(caught.value)
    assert "chromium" in str(caught.value)
    assert caught.value.hint


def test_what_a_worker_answers_becomes_abilities():
    told = {
        "platform": "webgpu",
        "device": "software-gpu",
        "about": "google swiftshader",
        "f16": False,
        "gflops": 400.0,
        "copy_mb_s": 90.5,
        "details": {"limits": {"maxBufferSize": 1}},
    }
    (ability,) = abilities_of({"abilities": [told]})
    assert ability == replace(SOFTWARE, copy_mb_s=90.5)
    assert ability.details == {"limits": {"maxBufferSize": 1}}
    assert str(ability) == "webgpu runs on a software adapter (google swiftshader)"


def test_auto_never_chooses_a_software_adapter():
    assert candidates([SOFTWARE, NO_WEBNN, XNNPACK, WASM]) == [XNNPACK, WASM]


def test_a_model_of_16_bits_needs_an_adapter_that_has_them():
    half = replace(GPU, f16=True)
    assert able([GPU, half, XNNPACK], "fp32") == [GPU, half, XNNPACK]
    without, *others = able([GPU, half, XNNPACK], "fp16")
    assert others == [half, XNNPACK]
    assert not without.there
    assert "nvidia ada: it has no 16-bit floats" in without.about


def test_wasm_needs_no_asking():
    assert ranked(Wish("webgpu", allow_fallback=("wasm",)), [NO_GPU], "firefox") == [PLAIN_WASM]
