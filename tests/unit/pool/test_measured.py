"""What is remembered of a browser's platforms, and when it no longer holds."""

import pytest

from ipfs_accelerate.pool.measured import Measured
from ipfs_accelerate.pool.platforms import Ability

FOUND = [
    Ability("webgpu", "software-gpu", gflops=900),
    Ability("webnn", "cpu", gflops=77.12345),
    Ability("wasm", "cpu", gflops=20),
    Ability("webxyz"),
]


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "browser"
    file.write_bytes(b"version 1")
    return file


def test_what_auto_may_choose_is_remembered(tmp_path, program):
    measured = Measured(tmp_path, program, 2)
    assert (measured.abilities(), measured.best()) == ([], None)
    measured.remember(FOUND)
    again = Measured(tmp_path, program, 2)
    assert again.abilities() == [
        Ability("webnn", "cpu", gflops=77.123),
        Ability("wasm", "cpu", gflops=20),
    ]
    assert again.best() == "webnn"


def test_another_browser_version_thread_count_or_launch_is_measured_anew(tmp_path, program):
    Measured(tmp_path, program, 2).remember(FOUND)
    assert Measured(tmp_path, program, 1).best() is None
    assert Measured(tmp_path, tmp_path / "other", 2).best() is None
    assert Measured(tmp_path, program, 2, "vulkan").best() is None
    program.write_bytes(b"version 22")
    assert Measured(tmp_path, program, 2).best() is None


def test_each_is_kept_beside_the_others_and_can_be_forgotten(tmp_path, program):
    one, two = Measured(tmp_path, program, 1), Measured(tmp_path, program, 2)
    one.remember(FOUND)
    two.remember(FOUND[2:])
    one.forget()
    assert (one.best(), two.best()) == (None, "wasm")
    assert [file.name for file in tmp_path.iterdir() if file != program] == ["measured.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2, "measured": {}}', '{"format": 1}'])
def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path, program, text):
    (tmp_path / "measured.json").write_text(text)
    measured = Measured(tmp_path, program, 2)
    assert measured.best() is None
    measured.remember(FOUND)
    assert measured.best() == "webnn"


def test_a_folder_that_cannot_be_written_costs_nothing_but_the_memory(tmp_path, program):
    measured = Measured(tmp_path / "nowhere", program, 2)
    measured.remember(FOUND)
    assert measured.best() is None
