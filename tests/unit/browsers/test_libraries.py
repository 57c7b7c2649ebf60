import sys
from pathlib import Path

import pytest

from ipfs_accelerate.browsers.libraries import missing_libraries, packages_for, refuse_without
from ipfs_accelerate.errors import BrowserError

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ldd is Linux's")

LDD = """#!/bin/sh
test "$1" = /the/program || exit 1
test -n "$LD_LIBRARY_PATH" && exit 0
echo '	libm.so.6 => /lib/libm.so.6 (0x0)'
echo '	libnss3.so => not found'
echo '	libnssutil3.so => not found'
echo '	libnspr4.so => not found'
"""


@pytest.fixture
def ldd(monkeypatch, tmp_path):
    """A system that lacks what a bare one lacks."""
    script = tmp_path / "ldd"
    script.write_text(LDD)
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)


def test_this_python_lacks_none():
    assert missing_libraries(Path(sys.executable).resolve()) == []


@pytest.mark.usefixtures("ldd")
def test_what_is_not_found_is_named_with_what_brings_it():
    missing = missing_libraries(Path("/the/program"))
    assert missing == ["libnspr4.so", "libnss3.so", "libnssutil3.so"]
    assert packages_for([*missing, "libodd.so"]) == ["libnspr4", "libnss3"]
    with pytest.raises(BrowserError, match="apt-get install libnspr4 libnss3`") as caught:
        refuse_without(Path("/the/program"))
    assert "lacks libnspr4.so, libnss3.so, libnssutil3.so" in str(caught.value)


@pytest.mark.usefixtures("ldd")
def test_a_folder_beside_it_may_bring_them():
    refuse_without(Path("/the/program"), Path("/some/lib"))


@pytest.mark.usefixtures("ldd")
def test_a_program_that_the_system_can_not_read_is_refused():
    with pytest.raises(BrowserError, match="glibc"):
        refuse_without(Path("/another"))


def test_where_nobody_can_tell_its_start_will(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    refuse_without(Path("/the/program"))
