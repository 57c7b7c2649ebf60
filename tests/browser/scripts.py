"""Python programs that use an accelerator, run as a person would run them."""

import os
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from pathlib import Path

from tests.browser import processes

ENOUGH_S = 120
"""No program of a test takes nearly so long: it hangs."""


class Place:
    """A cache folder, a folder for temporary files, and a working folder of one test."""

    def __init__(self, folder: Path, cache: Path | None = None):
        self.cache = cache or folder / "cache"
        self.temporary = folder / "temporary"
        self.work = folder / "work"
        for one in (self.temporary, self.work):
            one.mkdir()

    def environment(self):
        ours = {name: one for name, one in os.environ.items() if "IPFS_ACCELERATE" not in name}
        return {
            **ours,
            "IPFS_ACCELERATE_CACHE": str(self.cache),
            "TMPDIR": str(self.temporary),
            "PYTHONWARNINGS": "error",
            "PYTHONUNBUFFERED": "1",
        }

    def litter(self):
        """What was left in the folder for temporary files."""
        return sorted(one.name for one in self.temporary.iterdir())

    def run(self, code, **more):
        """Run a program to its end."""
        return self.command([sys.executable, "-c", textwrap.dedent(code)], **more)

    def cli(self, words, **more):
        """Run our command to its end."""
        return self.command([sys.executable, "-m", "ipfs_accelerate", *words], **more)

    def command(self, words, **more):
        """Run any command to its end."""
        given = {"cwd": self.work, "env": self.environment(), "text": True, "timeout": ENOUGH_S}
        given |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        if "input" not in given:
            given["stdin"] = subprocess.DEVNULL
        return subprocess.run(words, check=False, **given)

    @contextmanager
    def program(self, code, *, stdin=subprocess.DEVNULL):
        """A program that runs meanwhile; it is killed at the end of the block, if not before."""
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code)],
            cwd=self.work,
            env=self.environment(),
            text=True,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as program:
            try:
                yield program
            finally:
                program.kill()

    def is_clear(self, within_s=5.0):
        """Whether no process of this place is left, and no temporary file."""
        return processes.none_left(self.cache, within_s) and not self.litter()


def said(program, line):
    """Wait until the program prints this line."""
    return any(got.rstrip("\n") == line for got in program.stdout)
