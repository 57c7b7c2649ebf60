"""What the SDK's probes find in real browsers on a machine whose adapters are known."""

from statistics import median

import pytest
from tests.browser import probing

from ipfs_accelerate.browsers import portable

BOTH = """
import { probeWebGpu } from "SDK/probe/webgpu.ts";
import { probeWebNn } from "SDK/probe/webnn.ts";
postMessage({ webgpu: await probeWebGpu(true), webnn: await probeWebNn(true) });
"""
READBACKS = """
import { PollKicker, kicked } from "SDK/probe/kick.ts";
const device = await (await navigator.gpu.requestAdapter()).requestDevice();
const buffer = device.createBuffer({ size: 4, usage: 9 });
const slow = await PollKicker.of(device).slow();
async function ms(wait) {
  const start = performance.now();
  device.queue.writeBuffer(buffer, 0, Uint32Array.of(7));
  await wait(buffer.mapAsync(1));
  const right = new Uint32Array(buffer.getMappedRange())[0] === 7;
  buffer.unmap();
  return right ? performance.now() - start : -1;
}
async function samples(wait) {
  const times = [];
  for (let i = 0; i < 9; i++) times.push(await ms(wait));
  return times;
}
const plain = await samples((pending) => pending);
postMessage({ slow, plain, kicked: await samples((pending) => kicked(device, pending)) });
"""


def probe(script, folder, launch, *words):
    with probing.served(script, folder) as server:
        command, environment = launch(*words)
        return probing.found_by(command, server, environment)


@pytest.fixture
def portable_path():
    """The portable Chromium, whose WebNN computes."""
    path = portable.candidate().path
    if not path.is_file():
        pytest.skip(f"there is no portable browser here: `{portable.COMMAND}` gets it")
    return path


def assert_measured(ability):
    assert ability["gflops"] > 0
    assert ability["copy_mb_s"] > 0
    assert ability["details"]["worst_error"] == 0


def test_chromium_without_a_gpu(installed, tmp_path):
    flags = (probing.GPU, probing.ML)
    found = probe(BOTH, tmp_path, probing.chromium, installed.path, tmp_path / "profile", *flags)
    webgpu, webnn = found["webgpu"], found["webnn"]
    if webgpu["device"] == "gpu":
        pytest.skip(f"this machine has a GPU: {webgpu['about']}")
    assert (webgpu["device"], webgpu["about"]) == ("software-gpu", "google swiftshader")
    assert not webgpu["f16"]
    assert webgpu["details"]["adapter"]["fallback"] is True
    assert not webgpu["details"]["polls_slowly"]
    assert_measured(webgpu)
    assert (webnn["device"], webnn["gflops"]) == ("none", 0)
    assert webnn["about"]


def test_chromium_without_its_flags_has_no_adapter(installed, tmp_path):
    found = probe(BOTH, tmp_path, probing.chromium, installed.path, tmp_path / "profile")
    if found["webgpu"]["device"] == "gpu":
        pytest.skip(f"this machine has a GPU: {found['webgpu']['about']}")
    assert found["webgpu"]["device"] == "none"
    assert found["webnn"]["device"] == "none"


def test_the_portable_chromium_computes_with_webnn_on_the_cpu(portable_path, tmp_path):
    words = (portable_path, tmp_path / "profile", probing.GPU, probing.ML)
    found = probe(BOTH, tmp_path, probing.chromium, *words)
    webnn = found["webnn"]
    # It takes a request for an NPU or a GPU, and says of each graph that it ran on the CPU.
    contexts = [{"asked": asked, "devices": ["cpu"]} for asked in ("npu", "gpu", "cpu")]
    assert webnn["details"]["contexts"] == contexts
    assert (webnn["device"], webnn["about"]) == ("cpu", "a graph ran on cpu")
    assert_measured(webnn)
    assert found["webgpu"]["device"] == "software-gpu"


def test_firefox_on_mesas_software_vulkan(tmp_path):
    words = (probing.firefox_path(), tmp_path / "profile")
    found = probe(BOTH, tmp_path, probing.firefox, *words)
    webgpu = found["webgpu"]
    if webgpu["device"] == "gpu":
        pytest.skip(f"this machine has a GPU: {webgpu['about']}")
    assert webgpu["device"] == "software-gpu"
    assert webgpu["details"]["polls_slowly"]
    assert_measured(webgpu)
    assert found["webnn"]["device"] == "none"


def test_kicks_bring_firefoxs_readbacks_below_its_poll(tmp_path):
    words = (probing.firefox_path(), tmp_path / "profile")
    found = probe(READBACKS, tmp_path, probing.firefox, *words)
    assert found["slow"]
    assert all(each >= 0 for each in [*found["plain"], *found["kicked"]])
    # One after another they meet every poll; the best of the others, since the machine is shared.
    poll_ms = median(found["plain"])
    assert poll_ms > 50
    assert min(found["kicked"]) < poll_ms / 2


def test_chromiums_readbacks_need_no_kicks(installed, tmp_path):
    words = (installed.path, tmp_path / "profile", probing.GPU)
    found = probe(READBACKS, tmp_path, probing.chromium, *words)
    assert not found["slow"]
    assert all(each >= 0 for each in [*found["plain"], *found["kicked"]])
