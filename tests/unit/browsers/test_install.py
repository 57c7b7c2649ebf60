"""The install over a small package, real brotli, and a program that stands where npm would."""

import base64
import hashlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import textwrap
import threading
from pathlib import Path

import pytest

from ipfs_accelerate.browsers import install as module
from ipfs_accelerate.browsers import libraries, portable
from ipfs_accelerate.browsers.install import install, remove
from ipfs_accelerate.browsers.node import Node, find_node
from ipfs_accelerate.errors import BrowserError, ConfigError

pytestmark = pytest.mark.skipif(not portable.supported(), reason="it is for Linux on x86-64 alone")

COMPRESS = (
    "const {brotliCompressSync} = require('node:zlib');"
    "process.stdout.write(brotliCompressSync(require('node:fs').readFileSync(0)))"
)
NPM = """
import os, pathlib, shutil, sys, time
words = dict(zip(sys.argv, sys.argv[1:]))
cache = pathlib.Path(words["--cache"])
cache.mkdir()
(cache / "part").write_bytes(b"x" * 1000)
pathlib.Path({calls!r}).open("a").write(words["pack"] + "\\n")
{then}
shutil.copy({package!r}, words["--pack-destination"])
"""
# A program that installs as ours does, with another npm and another package.
PROGRAM = """
import sys
from ipfs_accelerate.browsers import install as module, portable
from ipfs_accelerate.browsers.node import Node
portable.INTEGRITY = sys.argv[1]
module.find_node = lambda: Node(sys.argv[2], (sys.executable, sys.argv[3]))
print(module.install(lambda *_: print("begun", flush=True)), flush=True)
"""


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("IPFS_ACCELERATE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def brotli(data: bytes) -> bytes:
    return subprocess.run(
        [find_node().node, "-e", COMPRESS], input=data, capture_output=True, check=True
    ).stdout


def tar(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """A package of the same shape, whose program is a small one of this system."""
    true = shutil.which("true")
    assert true
    path = tmp_path_factory.mktemp("package") / "chromium-0.tgz"
    inner = tar({"../../escaped.so": b"gl", "vk.json": b"{}"})
    path.write_bytes(
        tar(
            {
                "package/bin/chromium.br": brotli(Path(true).read_bytes()),
                "package/bin/swiftshader.tar.br": brotli(inner),
                "package/bin/al2023.tar.br": brotli(tar({"lib/libnss3.so": b"nss"})),
            }
        )
    )
    return path


class Npm:
    """What stands where npm would, and how often it was asked."""

    def __init__(self, folder: Path, package: Path):
        self.calls = folder / "calls"
        self.script = folder / "npm.py"
        self.package = package
        self.then("")

    def then(self, code: str) -> None:
        words = {"calls": str(self.calls), "package": str(self.package)}
        self.script.write_text(NPM.format(then=code, **words))

    def count(self) -> int:
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0


@pytest.fixture
def npm(monkeypatch, tmp_path, package):
    fake = Npm(tmp_path, package)
    node = Node(find_node().node, (sys.executable, str(fake.script)))
    monkeypatch.setattr(module, "find_node", lambda: node)
    monkeypatch.setattr(portable, "INTEGRITY", integrity(package))
    return fake


def integrity(package: Path) -> str:
    return f"sha512-{base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()}"


def nothing(*_):
    pass


def refused() -> str:
    with pytest.raises(BrowserError) as caught:
        install(nothing)
    assert caught.value.code == "browser_not_found"
    assert not portable.folder().exists()
    assert_no_litter()
    return str(caught.value)


def assert_no_litter():
    assert {each.name for each in portable.shelf().iterdir()} <= {"lock", portable.folder().name}


def test_it_is_fetched_checked_and_unpacked(npm, cache):
    told: list[tuple[str, int, int]] = []
    assert install(lambda *stage: told.append(stage))
    assert portable.folder() == cache / "browsers" / f"portable-{portable.VERSION}"
    assert subprocess.run([portable.candidate().path], check=False).returncode == 0
    assert {each.name for each in portable.folder().iterdir()} == {
        "chromium", "escaped.so", "vk.json",
    }  # fmt: skip
    assert_no_litter()
    assert npm.calls.read_text() == f"{portable.PACKAGE}@{portable.VERSION}\n"
    assert {stage for stage, _, _ in told} == {"fetch", "unpack"}
    assert told[-1][1] == told[-1][2]
    assert all(0 <= done <= total for _, done, total in told)


def test_what_is_there_is_left_as_it_is(npm):
    assert install(nothing)
    assert not install(nothing)
    assert npm.count() == 1


def test_a_package_that_is_another_is_refused(npm, monkeypatch):
    monkeypatch.setattr(portable, "INTEGRITY", "sha512-other")
    assert "is not the one that is pinned" in refused()


def test_what_npm_says_is_told(npm):
    npm.then("sys.exit('npm error network is away')")
    said = refused()
    assert "    npm error network is away" in said
    npm.then("sys.exit(0)")
    assert "could not fetch" in refused()


def test_a_file_that_can_not_be_unpacked_says_so(npm, monkeypatch, tmp_path):
    broken = tmp_path / "broken.tgz"
    broken.write_bytes(tar({"package/bin/chromium.br": b"no brotli at all"}))
    npm.package = broken
    npm.then("")
    monkeypatch.setattr(portable, "INTEGRITY", integrity(broken))
    assert "chromium.br of the portable browser could not be unpacked" in refused()


def test_what_breaks_off_leaves_nothing(npm):
    npm.then("time.sleep(600)")

    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(interrupted)
    assert_no_litter()
    npm.then("")
    assert install(nothing)


def program(npm, package):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), integrity(package), find_node().node,
         str(npm.script)],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_one_that_is_killed_half_way_is_cleared_by_the_next(npm, package, tmp_path):
    npm.then(f"open({str(tmp_path / 'npm')!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    with program(npm, package) as killed:
        assert killed.stdout
        assert killed.stdout.readline() == "begun\n"
        while not (tmp_path / "npm").exists() or not (tmp_path / "npm").read_text():
            assert killed.poll() is None
        killed.kill()
    os.kill(int((tmp_path / "npm").read_text()), signal.SIGKILL)
    assert list(portable.shelf().glob(".unfinished-*"))
    assert not portable.folder().exists()
    npm.then("")
    assert install(nothing)
    assert_no_litter()


def test_of_two_at_once_one_installs_and_the_other_waits(npm, package):
    npm.then("time.sleep(0.5)")
    with program(npm, package) as first, program(npm, package) as second:
        said = [one.communicate(timeout=60)[0].splitlines()[-1] for one in (first, second)]
    assert sorted(said) == ["False", "True"]
    assert npm.count() == 1
    assert_no_litter()


def test_missing_libraries_are_taken_from_the_package(npm, monkeypatch):
    monkeypatch.setattr(module, "missing_libraries", lambda *_: ["libnss3.so"])
    assert install(nothing)
    assert (portable.folder() / "lib" / "libnss3.so").read_bytes() == b"nss"


def test_libraries_that_even_the_package_lacks_are_named(npm, monkeypatch):
    monkeypatch.setattr(module, "missing_libraries", lambda *_: ["libgcc_s.so.1"])
    monkeypatch.setattr(libraries, "missing_libraries", lambda *_: ["libgcc_s.so.1"])
    said = refused()
    assert "lacks libgcc_s.so.1" in said
    assert "apt-get install libgcc-s1" in said


def test_it_is_removed_whatever_its_version(npm):
    assert remove() == []
    assert install(nothing)
    older = portable.shelf() / "portable-1.0.0"
    older.mkdir()
    assert remove() == [older, portable.folder()]
    assert [each.name for each in portable.shelf().iterdir()] == ["lock"]
    assert install(nothing)


def test_a_shelf_that_can_not_be_made_says_what_to_set(npm, cache):
    cache.write_text("in the way")
    with pytest.raises(ConfigError, match="IPFS_ACCELERATE_CACHE"):
        install(nothing)


@pytest.mark.parametrize(
    ("platform", "machine"), [("darwin", "x86_64"), ("linux", "aarch64"), ("win32", "AMD64")]
)
def test_elsewhere_it_is_refused(npm, monkeypatch, platform, machine):
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(BrowserError, match="Linux on x86-64"):
        install(nothing)
    assert npm.count() == 0


def test_it_does_not_hold_its_lock_when_it_is_done(npm):
    assert install(nothing)
    done = threading.Thread(target=remove)
    done.start()
    done.join(20)
    assert not done.is_alive()
