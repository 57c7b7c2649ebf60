"""What is validated: a model, its inputs, and what these must give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """One model with one set of inputs."""

    name: str
    operators: tuple[str, ...]
    model: str | Path | bytes
    """a name, the path of a file, or a file's bytes"""
    inputs: Mapping[str, NDArray[Any]]
    right: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    random: bool = False
    """whether its numbers are drawn anew each time, so that only their kind can be compared"""
    refusal: str = ""
    """why it can't be carried to a browser at all"""
    failure: str = ""
    """why there is nothing right to hold it against"""
    native: str = ""
    note: str = ""
