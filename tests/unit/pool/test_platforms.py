"""Where a model runs: the wish against what was measured."""

import pytest

from ipfs_accelerate.config import Wish
from ipfs_accelerate.errors import PoolError
from ipfs_accelerate.pool.platforms import Ability, ability_of, ranked

GPU = Ability("webgpu", "gpu", "nvidia ada", 900)
SOFTWARE = Ability("webgpu", "software-gpu", "google swiftshader", 400)
NPU = Ability("webnn", "npu", gflops=300)
XNNPACK = Ability("webnn", "cpu", gflops=78)
WASM = Ability("wasm", "cpu", gflops=20)
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


ADAPTER = {"vendor": "google", "architecture": "swiftshader", "device": "", "description": "x"}
CONTEXTS = [
    {"device_type": "cpu", "graph_devices": ["cpu"], "matmul_gflops": 70.0},
    {"device_type": "gpu", "graph_devices": ["cpu"], "matmul_gflops": 78.0},
    {"device_type": "npu", "error": "NotSupportedError"},
]


@pytest.mark.parametrize(
    ("probe", "ability"),
    [
        (
            {"platform": "webgpu", "adapter": ADAPTER, "software": True, "matmul_gflops": 9.0},
            Ability("webgpu", "software-gpu", "google swiftshader", 9.0),
        ),
        (
            {
                "platform": "webgpu",
                "adapter": dict.fromkeys(ADAPTER, ""),
                "software": False,
                "matmul_gflops": 900.0,
            },
            Ability("webgpu", "gpu", "an adapter that tells nothing of itself", 900.0),
        ),
        ({"platform": "webnn", "contexts": CONTEXTS}, Ability("webnn", "cpu", gflops=78.0)),
        (
            {
                "platform": "webnn",
                "contexts": [*CONTEXTS, {"device_type": "npu", "graph_devices": ["npu"]}],
            },
            Ability("webnn", "npu"),
        ),
        (
            {"platform": "webnn", "contexts": CONTEXTS[2:]},
            Ability("webnn", about="NotSupportedError"),
        ),
        ({"platform": "webnn", "contexts": []}, Ability("webnn", about="it makes no context")),
        ({"platform": "webgpu", "unavailable": "no GPU"}, Ability("webgpu", about="no GPU")),
        ({"platform": "wasm", "threads": 2}, Ability("wasm", "cpu", "2 threads")),
    ],
)
def test_a_probe_is_believed_as_far_as_it_measured(probe, ability):
    assert ability_of(probe) == ability
