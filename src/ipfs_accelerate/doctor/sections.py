"""The facts as tables of words, for a terminal and for a pipe alike. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ipfs_accelerate.doctor.findings import SHARED, findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ipfs_accelerate.doctor.facts import Browser, Facts, Launch, Measured

Row = tuple[str, ...]

_ON = {
    "gpu": "GPU",
    "npu": "NPU",
    "software-gpu": "CPU, as a software GPU",
    "cpu": "CPU",
    "none": "not there",
}
_COLUMNS = ("launch", "platform", "runs on", "f16", "GFLOP/s", "copy MB/s", "about")


@dataclass(frozen=True, slots=True)
class Section:
    """A table with a title, and with names above its columns where they need any."""

    title: str
    rows: tuple[Row, ...]
    columns: Row = ()


def sections(facts: Facts) -> list[Section]:
    """Everything, in the order in which it is read."""
    return [
        Section("System", tuple(_system(facts))),
        Section("Signs of a GPU or NPU", tuple(_signs(facts))),
        Section("Network", tuple(_network(facts))),
        Section("Models and cache", tuple(_storage(facts))),
        *map(_browser, facts.browsers),
        *([_missing(facts)] if facts.missing else []),
        _findings(facts),
    ]


def plain(tables: list[Section]) -> Iterator[str]:
    """Lines for a pipe: columns as wide as what is in them, and no colours."""
    for table in tables:
        yield f"{table.title}:"
        rows = [*([table.columns] if table.columns else []), *table.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            yield f"  {'  '.join(cells)}".rstrip()


def _system(facts: Facts) -> Iterator[Row]:
    system = facts.system
    place = ", in a container" if system.container else ""
    yield "system", f"{system.os}, {system.machine}{place}"
    yield "Python", f"{system.python} at {system.executable}"
    yield "cores", str(system.cores)
    if system.memory_mb is not None:
        free = "unknown" if system.free_mb is None else f"{system.free_mb:,} MB"
        yield "memory", f"{system.memory_mb:,} MB, of which {free} free"
    if system.shm_mb is not None:
        yield SHARED, f"{system.shm_mb:,} MB"
    natives = ", ".join(f"{name} {version}" for name, version in system.packages.items())
    yield "native runtimes", natives or "none (none is needed)"
    yield "browser's sandbox", "possible" if facts.sandbox else "not possible here"


def _signs(facts: Facts) -> Iterator[Row]:
    signs = facts.signs
    nodes = [node.path + ("" if node.usable else " (closed to you)") for node in signs.nodes]
    yield "device files", ", ".join(nodes) or "none"
    yield "cards", "; ".join(signs.cards) or "none seen"
    yield "Vulkan drivers", ", ".join(signs.vulkan) or "none"


def _network(facts: Facts) -> Iterator[Row]:
    network = facts.network
    named = ", ".join(f"{name}={value}" for name, value in network.proxies.items())
    yield "proxies", named or "none"
    if named:
        yield "loopback", "excepted" if network.loopback_excepted else "not excepted"
    free = [str(port) for port, is_free in network.ports.items() if is_free]
    taken = [str(port) for port, is_free in network.ports.items() if not is_free]
    yield "ports free", ", ".join(free) or "none"
    if taken:
        yield "ports taken", ", ".join(taken)


def _storage(facts: Facts) -> Iterator[Row]:
    cache = facts.cache
    state = f"{cache.size_mb:,.0f} MB" if cache.exists else "not there yet"
    yield "cache", f"{cache.folder}: {state}, {cache.free_mb:,.0f} MB free on its disk"
    for model in facts.models:
        there = f"{model.package} {model.version}" if model.version else "its package is not here"
        yield model.name, there


def _browser(browser: Browser) -> Section:
    title = " ".join(filter(None, (browser.name, browser.version, f"at {browser.path}")))
    if not browser.launches:
        return Section(title, (("not started",),))
    rows = tuple(row for launch in browser.launches for row in _launch(launch))
    return Section(title, rows, _COLUMNS)


def _launch(launch: Launch) -> Iterator[Row]:
    if launch.error:
        yield launch.rung, "", "", "", "", "", launch.error
    for number, one in enumerate(launch.abilities):
        yield ("" if number else launch.rung), *_ability(one)


def _ability(one: Measured) -> Row:
    on = _ON.get(one.device, one.device)
    if not one.there:
        return one.platform, on, "", "", "", one.about
    f16 = "yes" if one.f16 else "no"
    return one.platform, on, f16, _figure(one.gflops), _figure(one.copy_mb_s), one.about


def _figure(value: float) -> str:
    """Three digits, as many as such a measurement is good for; nothing where there is none."""
    if not value:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004 - three digits


def _missing(facts: Facts) -> Section:
    rows = tuple((one.name, one.get) for one in facts.missing)
    return Section("Browsers that are not here", rows)


def _findings(facts: Facts) -> Section:
    rows = tuple((one.level, f"{one.what} {one.do}".strip()) for one in findings(facts))
    return Section("What this comes to", rows or (("good", "Nothing stands in the way."),))
