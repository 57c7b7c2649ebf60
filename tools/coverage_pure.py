"""Hold every pure module at 100 % of lines and branches by its own test file alone.

    python tools/coverage_pure.py [part of a module's path]

Run from the root. Each module has one test file, named after it, so that whoever changes the
one knows where the other is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "ipfs_accelerate"
GRAPH = (
    *("assembling", "boundaries", "chance", "cheap", "comparing", "cutting"),
    *("dag", "dag_json", "differences", "digests", "drawing", "explanation"),
    *("limits", "living", "loaded", "order", "parts", "ports"),
    *("prefixes", "refusal", "scopes", "stored", "work", "worth"),
)
PURE = (
    *sorted(PACKAGE.glob("protocol/[a-z]*.py")),
    PACKAGE / "pool" / "state.py",
    PACKAGE / "pool" / "placement.py",
    PACKAGE / "pool" / "platforms.py",
    PACKAGE / "pool" / "plan.py",
    PACKAGE / "pool" / "arranging.py",
    PACKAGE / "remembered.py",
    PACKAGE / "browsers" / "ladder.py",
    PACKAGE / "metrics" / "statistics.py",
    *(PACKAGE / "doctor" / f"{name}.py" for name in ("facts", "findings", "known", "report")),
    PACKAGE / "doctor" / "sections.py",
    PACKAGE / "server" / "access.py",
    PACKAGE / "server" / "handshake.py",
    PACKAGE / "server" / "websocket_frames.py",
    PACKAGE / "models" / "components.py",
    PACKAGE / "models" / "manifest.py",
    PACKAGE / "models" / "cid.py",
    *(PACKAGE / "graph" / f"{name}.py" for name in GRAPH),
    PACKAGE / "tensors" / "dtypes.py",
)
AT_ONCE = 2
"""Processes, most of whose time is one core's."""


def test_of(module: Path) -> Path:
    """Say where the module's own test file is."""
    folder, name = module.parent.relative_to(PACKAGE), f"test_{module.stem}.py"
    tests = ROOT / "tests"
    return tests / folder / name if folder.name == "protocol" else tests / "unit" / folder / name


def run(arguments: list[str], data: Path) -> subprocess.CompletedProcess[str]:
    """Run coverage with its data in a file of this module's own."""
    paths = filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")])
    return subprocess.run(
        [sys.executable, "-m", "coverage", *arguments],
        cwd=ROOT,
        env=os.environ | {"COVERAGE_FILE": str(data), "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def fault(module: Path, scratch: Path) -> str:
    """Run the module's test file, and say what it leaves untouched; nothing where it is whole."""
    data = scratch / f"{module.parent.name}-{module.stem}"
    pytest = ["-m", "pytest", "-q", "-m", "not soak", "-p", "no:cacheprovider"]
    pytest.append(str(test_of(module)))
    tested = run(["run", "--branch", f"--include={module}", *pytest], data)
    if tested.returncode:
        return f"{tested.stdout}\n{tested.stderr}"
    reported = run(["report", "--fail-under=100", "--show-missing"], data)
    return reported.stdout if reported.returncode else ""


def main() -> int:
    """Check every module, or those whose path has the argument in it."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    modules = [one for one in PURE if wanted in one.as_posix() and one.exists()]
    failed = 0
    # An outcome is printed in its module's turn, however they end.
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(AT_ONCE) as threads:
        faults = threads.map(partial(fault, scratch=Path(scratch)), modules)
        for module, why in zip(modules, faults, strict=True):
            failed += bool(why)
            print(f"{why}MISSED " if why else "covered", module.relative_to(ROOT), flush=True)
    print(f"{len(modules) - failed} of {len(modules)} pure modules are covered by their own tests")
    return 1 if failed or not modules else 0


if __name__ == "__main__":
    sys.exit(main())
