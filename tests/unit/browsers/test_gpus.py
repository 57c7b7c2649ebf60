import pytest

from ipfs_accelerate.browsers import gpus as module
from ipfs_accelerate.browsers.gpus import gpus, sign_of_gpu


@pytest.fixture(autouse=True)
def root(monkeypatch, tmp_path):
    """A machine without anything."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(module, "_ROOT", tmp_path)
    return tmp_path


def make(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("node", ["dri/renderD128", "nvidia0", "kfd", "dxg"])
def test_a_device_file_is_a_sign(root, node):
    assert not sign_of_gpu()
    make(root / "dev" / node)
    assert sign_of_gpu()
    assert gpus() == (str(root / "dev" / node),)


@pytest.mark.parametrize("node", ["dri/card0", "nvidiactl"])
def test_a_file_that_is_there_without_a_gpu_is_none(root, node):
    make(root / "dev" / node)
    assert not sign_of_gpu()


def test_every_mac_has_one(monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    assert sign_of_gpu()


def test_another_card_in_the_same_place_is_another_set(root):
    card = root / "sys/class/drm/renderD128/device"
    make(card / "vendor", "0x8086\n")
    make(card / "device", "0x46a6\n")
    before = gpus()
    assert before == ("0x8086:0x46a6 renderD128",)
    make(card / "device", "0x56a0\n")
    assert gpus() != before
    (card / "device").unlink()
    assert gpus() == ("0x8086:? renderD128",)


def test_a_driver_that_comes_later_is_another_set(root):
    make(root / "usr/share/vulkan/icd.d/lvp_icd.json")
    assert gpus() == (str(root / "usr/share/vulkan/icd.d/lvp_icd.json"),)
    assert not sign_of_gpu()
