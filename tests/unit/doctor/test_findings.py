import pytest
from tests.unit.doctor import made

from ipfs_accelerate.doctor.facts import Network, Signs
from ipfs_accelerate.doctor.findings import findings

SOFTWARE = made.browser(made.launch(made.SOFTWARE, made.NO_WEBNN, made.WASM))


def said(found, level):
    return [f"{one.what} {one.do}" for one in findings(found) if one.level == level]


def advice(**more):
    """What is said about the missing GPU."""
    (text,) = [line for line in said(made.facts(SOFTWARE, **more), "warning") if "GPU" in line]
    return text


def test_no_browser_is_the_gravest_and_says_how_to_get_one():
    first = findings(made.facts())[0]
    assert first.level == "error"
    assert "apt install firefox-esr" in first.do


def test_browsers_that_do_not_work_are_told_with_their_reasons():
    bad = made.browser(made.launch(error="It ended: no display."))
    assert said(made.facts(bad), "error") == ["No browser works. chromium: It ended: no display."]
    (line,) = said(made.facts(SOFTWARE, bad, signs=Signs(nodes=(made.node(),))), "warning")[:1]
    assert "does not work" in line
    assert "no display" in line


def test_a_bad_variable_is_told():
    assert "no such file" in said(made.facts(SOFTWARE, trouble="no such file"), "error")[0]


def test_an_accelerator_that_was_measured_is_good():
    found = made.facts(SOFTWARE, made.browser(made.launch(made.GPU, rung="vulkan"), name="chrome"))
    assert said(found, "good") == [
        "chrome's webgpu runs on this machine's gpu (nvidia ampere) with the launch vulkan. "
    ]
    assert not said(found, "warning")


def test_a_software_gpu_is_never_called_a_gpu():
    (note,) = said(made.facts(SOFTWARE), "note")
    assert "WebGPU is software here (google swiftshader)" in note
    assert not said(made.facts(SOFTWARE), "good")


def test_nothing_is_said_of_hardware_where_no_browser_was_started():
    assert not findings(made.facts(made.browser(), measured=False))


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "no sign of a GPU"),
        ({"system": made.system(container=True)}, "--device /dev/dri"),
        ({"signs": Signs(cards=("VGA compatible controller: Matrox",))}, "kernel driver"),
        ({"signs": Signs(nodes=(made.node(usable=False),))}, "usermod -aG render"),
        ({"signs": Signs(nodes=(made.node(),))}, "no Vulkan driver"),
        ({"signs": Signs(nodes=(made.node(),), vulkan=("lvp",))}, "no Vulkan driver"),
        ({"signs": Signs(nodes=(made.node(),), vulkan=("lvp", "radeon"))}, "chrome://gpu"),
        ({"system": made.system(os="macOS-15.1")}, "chrome://gpu"),
    ],
)
def test_the_first_thing_between_here_and_a_gpu_is_named(more, text):
    assert text in advice(**more)


def test_the_portable_browser_alone_reaches_no_gpu():
    portable = made.browser(*SOFTWARE.launches, name="portable")
    signs = Signs(nodes=(made.node(),), vulkan=("radeon",))
    (line,) = said(made.facts(portable, signs=signs), "warning")
    assert "install Chrome or Chromium" in line


def test_firefox_without_a_vulkan_driver():
    firefox = made.browser(made.launch(made.WASM), name="firefox")
    assert "mesa-vulkan-drivers" in said(made.facts(firefox), "note")[0]
    assert not said(made.facts(firefox, signs=Signs(vulkan=("lvp",))), "note")


@pytest.mark.parametrize(
    ("more", "level", "text"),
    [
        ({"system": made.system(free_mb=300)}, "warning", "300 MB of memory are free"),
        ({"system": made.system(shm_mb=67)}, "warning", "--shm-size"),
        ({"sandbox": False}, "note", "sandbox"),
        (
            {"network": Network(proxies={"HTTP_PROXY": "x"}, loopback_excepted=False)},
            "warning",
            "NO_PROXY=127.0.0.1",
        ),
        ({"network": Network(ports={8765: False, 8774: False})}, "warning", "8765 to 8774"),
        ({"cache": made.cache(writable=False)}, "error", "IPFS_ACCELERATE_CACHE"),
        ({"models": (made.model(version=""),)}, "note", "pip install --no-deps"),
    ],
)
def test_what_is_short_or_in_the_way_is_told(more, level, text):
    found = made.facts(made.browser(), measured=False, **more)
    assert any(text in line for line in said(found, level))


def test_unknown_memory_and_an_excepted_loopback_are_no_trouble():
    quiet = made.facts(
        made.browser(),
        measured=False,
        system=made.system(free_mb=None, shm_mb=None),
        network=Network(proxies={"HTTP_PROXY": "x"}),
    )
    assert not findings(quiet)


def test_the_gravest_comes_first():
    found = made.facts(SOFTWARE, sandbox=False, cache=made.cache(writable=False))
    levels = [one.level for one in findings(found)]
    assert levels == ["error", "warning", "note", "note"]
