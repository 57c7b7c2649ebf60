import os
import sys
from pathlib import Path

import pytest

from ipfs_accelerate.browsers.environment import LONGEST_TMPDIR_BYTES, environment, name_for

SLOT = Path("/cache/slot-0")


def test_litter_stays_in_the_slot_and_our_own_variables_stay_here():
    given = {"HOME": "/home/ann", "TMPDIR": "/scratch", "IPFS_ACCELERATE_TOKEN": "secret"}
    seen = environment(given, SLOT, "/cache/slot-0/tmp")
    assert seen == {
        "HOME": "/home/ann",
        "TMPDIR": "/cache/slot-0/tmp",
        "XDG_CACHE_HOME": "/cache/slot-0/cache",
        "XDG_CONFIG_HOME": "/cache/slot-0/config",
    }
    assert given["TMPDIR"] == "/scratch"


def test_without_a_short_name_the_systems_own_folder_is_left():
    assert environment({"TMPDIR": "/var/folders/x"}, SLOT, None)["TMPDIR"] == "/var/folders/x"
    assert "TMPDIR" not in environment({}, SLOT, None)


def test_a_short_path_is_its_own_name():
    path = Path("/" + "a" * (LONGEST_TMPDIR_BYTES - 1))
    assert name_for(path, 7) == str(path)


def test_a_long_path_gets_a_short_name(monkeypatch):
    path = Path("/" + "a" * LONGEST_TMPDIR_BYTES)
    monkeypatch.setattr("sys.platform", "darwin")
    assert name_for(path, 7) is None
    monkeypatch.setattr("sys.platform", "linux")
    assert name_for(path, 7) == f"/proc/{os.getpid()}/fd/7"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has such names")
def test_the_short_name_leads_to_the_folder(tmp_path):
    folder = tmp_path / ("long" * 20)
    folder.mkdir()
    folder_fd = os.open(folder, os.O_RDONLY)
    name = name_for(folder, folder_fd)
    assert name
    (Path(name) / "file").write_text("there")
    assert (folder / "file").read_text() == "there"
    os.close(folder_fd)
