from pathlib import Path

import pytest

from ipfs_accelerate.browsers.chromium import command, environment, merged
from ipfs_accelerate.browsers.installed import Installed
from ipfs_accelerate.browsers.start import Start
from ipfs_accelerate.errors import ConfigError

INSTALLED = Installed("chromium", "chromium", Path("/usr/lib/chromium/chromium"))


def start(installed=INSTALLED, **more):
    return Start(
        installed=installed,
        slot=Path("/cache"),
        profile=Path("/cache/a profile"),
        start_file=Path("/cache/a profile/start ü.html"),
        **more,
    )


def flags(**more):
    return command(start(**more))


def test_the_command_has_its_program_first_and_its_page_last():
    assert flags()[0] == "/usr/lib/chromium/chromium"
    assert flags()[-1] == "file:///cache/a%20profile/start%20%C3%BC.html"
    assert "--user-data-dir=/cache/a profile" in flags()


@pytest.mark.parametrize(
    "flag",
    [
        "--remote-debugging-pipe",
        "--disable-background-timer-throttling",
        "--disable-renderer-backgrounding",
        "--disable-backgrounding-occluded-windows",
        "--no-first-run",
    ],
)
def test_the_command_always_has(flag):
    assert flag in flags()
    assert flag in flags(headless=False, sandbox=False)


def test_the_window_and_the_sandbox_are_given_up_only_when_asked():
    assert "--headless" in flags()
    assert "--headless" not in flags(headless=False)
    assert "--no-sandbox" not in flags()
    assert "--no-sandbox" in flags(sandbox=False)


def test_webgpu_and_webnn_are_asked_for():
    assert "--enable-unsafe-webgpu" in flags()
    assert "--enable-features=WebMachineLearningNeuralNetwork" in flags()


def test_a_rungs_features_join_the_others_in_one_list():
    given = flags(flags=("--enable-features=Vulkan,Other", "--use-angle=vulkan"))
    assert [flag for flag in given if "features" in flag] == [
        "--enable-features=WebMachineLearningNeuralNetwork,Vulkan,Other"
    ]
    assert "--use-angle=vulkan" in given


def test_what_is_said_twice_is_said_once():
    assert merged(["--a", "--enable-features=X", "--a", "--enable-features=Y,X"]) == [
        "--a",
        "--enable-features=X,Y",
    ]
    assert merged([]) == []


@pytest.fixture
def portable(tmp_path):
    return Installed("portable", "chromium", tmp_path / "portable-1.2.3" / "chromium")


def test_the_portable_one_has_no_window(portable):
    assert command(start(portable))[0] == str(portable.path)
    with pytest.raises(ConfigError, match="no window"):
        command(start(portable, headless=False))


def test_the_portable_one_finds_the_libraries_that_it_has_brought(portable):
    assert environment(start(portable)) == {}
    libraries = portable.path.parent / "lib"
    libraries.mkdir(parents=True)
    assert environment(start(portable)) == {"LD_LIBRARY_PATH": str(libraries)}
    other = Installed("chromium", "chromium", portable.path)
    assert environment(start(other)) == {}
