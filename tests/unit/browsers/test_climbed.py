import json
from pathlib import Path

import pytest

from ipfs_accelerate.browsers import climbed
from ipfs_accelerate.browsers.climbed import FILE, Climbed, forget, recall, remember
from ipfs_accelerate.browsers.installed import Installed


class Machine:
    """What a memory depends on, to be changed by a test."""

    name = "here"
    gpus: tuple[str, ...] = ("/dev/dri/renderD128",)
    version = "156.0"


@pytest.fixture
def machine(monkeypatch):
    one = Machine()
    monkeypatch.setattr("platform.node", lambda: one.name)
    monkeypatch.setattr(climbed, "gpus", lambda: one.gpus)
    monkeypatch.setattr("ipfs_accelerate.browsers.installed.version_of", lambda _: one.version)
    return one


def chrome(path="/opt/chrome"):
    return Installed("chrome", "chromium", Path(path))


@pytest.mark.usefixtures("machine")
def test_nothing_is_known_at_first(tmp_path):
    assert recall(tmp_path / "none", chrome()) is None
    assert recall(tmp_path, chrome()) is None


@pytest.mark.usefixtures("machine")
def test_what_a_climb_led_to_is_remembered(tmp_path):
    folder = tmp_path / "cache"
    remember(folder, chrome(), "vulkan")
    remember(folder, chrome("/opt/other"), None)
    assert recall(folder, chrome()) == Climbed("vulkan")
    assert recall(folder, chrome("/opt/other")) == Climbed(None)
    assert recall(folder, chrome("/opt/third")) is None
    assert [file.name for file in folder.iterdir()] == [FILE]
    assert (folder / FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("part", "value"), [("name", "elsewhere"), ("gpus", ()), ("version", "157.0")]
)
def test_another_machine_card_or_version_is_climbed_anew(tmp_path, machine, part, value):
    remember(tmp_path, chrome(), "vulkan")
    before = getattr(machine, part)
    setattr(machine, part, value)
    assert recall(tmp_path, chrome()) is None
    setattr(machine, part, before)
    assert recall(tmp_path, chrome()) == Climbed("vulkan")


@pytest.mark.usefixtures("machine")
def test_a_climb_replaces_the_one_before(tmp_path):
    remember(tmp_path, chrome(), None)
    remember(tmp_path, chrome(), "plain")
    assert recall(tmp_path, chrome()) == Climbed("plain")


@pytest.mark.usefixtures("machine")
def test_what_is_forgotten_is_climbed_anew(tmp_path):
    remember(tmp_path, chrome(), "plain")
    forget(tmp_path)
    forget(tmp_path)
    assert recall(tmp_path, chrome()) is None


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("text", ["", "[]", '{"here /opt/chrome": 5}', "{"])
def test_a_file_that_says_nothing_is_as_none(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    assert recall(tmp_path, chrome()) is None
    remember(tmp_path, chrome(), "plain")
    assert recall(tmp_path, chrome()) == Climbed("plain")


@pytest.mark.usefixtures("machine")
def test_a_rung_that_is_no_name_is_as_none(tmp_path):
    remember(tmp_path, chrome(), "plain")
    entries = json.loads((tmp_path / FILE).read_text())
    entries["here /opt/chrome"]["rung"] = 5
    (tmp_path / FILE).write_text(json.dumps(entries))
    assert recall(tmp_path, chrome()) is None


@pytest.mark.usefixtures("machine")
def test_a_disk_that_refuses_is_no_reason_to_stop(tmp_path):
    (tmp_path / "file").write_text("in the way")
    remember(tmp_path / "file", chrome(), "plain")
    assert recall(tmp_path / "file", chrome()) is None
