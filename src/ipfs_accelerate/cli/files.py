"""Files that a command writes: known to be writable before anything is computed for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def check_writable(file: Path | None) -> None:
    """Before anything is computed, so that nothing is computed in vain; `-` is no file."""
    if file is not None and str(file) != "-":
        write(file, "")


def write(file: Path, text: str) -> None:
    """Write a report; where that is not possible, an error that says so."""
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise ConfigError(
            f"The report can't be written to {file}: {error.strerror}.",
            hint="Name a file in a folder that is there.",
        ) from error
