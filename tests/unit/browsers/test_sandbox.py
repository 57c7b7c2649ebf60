import subprocess
from types import SimpleNamespace

import pytest

from ipfs_accelerate.browsers import sandbox
from ipfs_accelerate.browsers.sandbox import sandbox_possible


@pytest.fixture(autouse=True)
def _ordinary_user(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr(sandbox, "_CONTAINER_MARKS", ())
    monkeypatch.delenv("container", raising=False)


@pytest.fixture
def in_container(monkeypatch, tmp_path):
    monkeypatch.setattr(sandbox, "_CONTAINER_MARKS", (tmp_path,))


def unshare_ends(monkeypatch, returncode):
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=returncode))


def test_a_user_has_it_whatever_the_system_allows(monkeypatch):
    unshare_ends(monkeypatch, 1)
    assert sandbox_possible()


def test_root_on_linux_has_not(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert not sandbox_possible()
    monkeypatch.setattr("sys.platform", "darwin")
    assert sandbox_possible()


@pytest.mark.parametrize(("returncode", "possible"), [(0, True), (1, False)])
@pytest.mark.usefixtures("in_container")
def test_in_a_container_it_is_tried(monkeypatch, returncode, possible):
    unshare_ends(monkeypatch, returncode)
    assert sandbox_possible() is possible


@pytest.mark.usefixtures("in_container")
def test_in_a_container_without_the_means_to_try_it_is_given_up(monkeypatch):
    def missing(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", missing)
    assert not sandbox_possible()


def test_a_container_may_say_so_itself(monkeypatch):
    monkeypatch.setenv("container", "podman")
    unshare_ends(monkeypatch, 1)
    assert not sandbox_possible()


@pytest.mark.usefixtures("in_container")
def test_the_trial_is_a_real_one():
    assert sandbox_possible() in (True, False)
