import pytest

from ipfs_accelerate.doctor import signs as module
from ipfs_accelerate.doctor.signs import cards_of_lspci, cards_of_mac, signs

LSPCI = """\
00:00.0 Host bridge: Intel Corporation 440FX - 82441FX PMC (rev 02)
00:02.0 VGA compatible controller: Intel Corporation Iris Xe Graphics (rev 01)
01:00.0 3D controller: NVIDIA Corporation GA107M (rev a1)
00:0b.0 Processing accelerators: Intel Corporation Meteor Lake NPU (rev 04)
00:1f.3 Audio device: Intel Corporation Device 51c8
"""
MAC = """\
Graphics/Displays:
    Apple M3:
      Chipset Model: Apple M3
      Type: GPU
"""


def test_cards_are_picked_out_of_what_the_systems_tell():
    assert cards_of_lspci(LSPCI) == (
        "VGA compatible controller: Intel Corporation Iris Xe Graphics (rev 01)",
        "3D controller: NVIDIA Corporation GA107M (rev a1)",
        "Processing accelerators: Intel Corporation Meteor Lake NPU (rev 04)",
    )
    assert cards_of_lspci("") == ()
    assert cards_of_mac(MAC) == ("Apple M3",)


@pytest.mark.parametrize(
    ("platform", "told", "card"),
    [
        ("linux", {"lspci": "01:00.0 3D controller: AMD"}, "3D controller: AMD"),
        ("darwin", {"system_profiler": MAC}, "Apple M3"),
    ],
)
def test_each_system_is_asked_in_its_own_way(monkeypatch, tmp_path, platform, told, card):
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(module, "_output", lambda program, *_: told[program])
    assert signs(tmp_path).cards == (card,)


def test_device_files_and_drivers_are_found(monkeypatch, tmp_path):
    for file in ("dev/dri/renderD128", "dev/dri/card0", "dev/nvidia0", "dev/nvidiactl"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    for name in ("radeon_icd.x86_64.json", "radeon_icd.i686.json", "lvp_icd.json"):
        (tmp_path / "usr/share/vulkan/icd.d").mkdir(parents=True, exist_ok=True)
        (tmp_path / "usr/share/vulkan/icd.d" / name).touch()
    monkeypatch.setattr("os.access", lambda path, _mode: "nvidia" not in str(path))
    found = signs(tmp_path)
    assert [(node.path, node.usable) for node in found.nodes] == [
        (str(tmp_path / "dev/dri/renderD128"), True),
        (str(tmp_path / "dev/nvidia0"), False),
    ]
    assert found.vulkan == ("lvp", "radeon")


def test_a_program_that_is_not_there_tells_nothing():
    assert module._output("no-such-program-of-any-system") == ""


def test_this_machine_can_be_looked_at():
    signs()
