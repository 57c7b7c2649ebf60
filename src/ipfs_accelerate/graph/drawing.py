"""Draws how models are made of parts, as SVG. Pure."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ipfs_accelerate.graph.parts import Part, Partition

_WIDTH, _HEIGHT = 210, 78
_ACROSS, _DOWN = 70, 26
_MARGIN, _LINE, _TEXT = 20, 18, 12
_LONGEST = 26
_SHARED, _OWN, _EDGE = "#cfe8d5", "#f2f2f2", "#444444"

_Place = tuple[int, int]


def picture(partition: Partition) -> str:
    """Draw the parts as boxes: the shared ones coloured and once, arrows to what they feed.

    Each model ends in its name; a box says how many operators it has, what its weights take, and
    its share of the estimated work of the first model that has it.
    """
    drawing = _Drawing(partition)
    width, height = drawing.size()
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
            f'width="{width}" height="{height}" font-family="sans-serif" font-size="{_TEXT}">',
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" orient="auto"',
            'markerWidth="8" markerHeight="8">',
            f'<path d="M0 0L8 4L0 8z" fill="{_EDGE}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            *drawing.arrows(),
            *drawing.boxes(),
            *drawing.names(),
            "</svg>",
        ]
    )


class _Drawing:
    """Where each part stands: as far right as parts come before it, one row below another."""

    def __init__(self, partition: Partition) -> None:
        self._models = partition.models
        self._users = partition.users()
        self._parts: dict[str, Part] = {}
        self._first: dict[str, str] = {}
        columns: dict[str, int] = {}
        for key, parts in partition.models.items():
            for part in parts:
                self._parts.setdefault(part.digest, part)
                self._first.setdefault(part.digest, key)
                before = [
                    columns[parts[one.part].digest] for one in part.inputs if one.part is not None
                ]
                column = 1 + max(before, default=-1)
                columns[part.digest] = max(column, columns.get(part.digest, 0))
        self._places = _placed(columns)
        self._last = 1 + max(columns.values(), default=0)

    def size(self) -> _Place:
        """Width and height of the whole."""
        right, _ = _corner((self._last, 0))
        rows = 1 + max((row for _, row in self._places.values()), default=0)
        _, bottom = _corner((0, max(rows, len(self._models))))
        return right + _WIDTH + _MARGIN, bottom - _DOWN + _MARGIN

    def boxes(self) -> Iterator[str]:
        """The parts."""
        for digest, part in self._parts.items():
            x, y = _corner(self._places[digest])
            fill = _SHARED if len(self._users[digest]) > 1 else _OWN
            yield (
                f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="{fill}" '
                f'stroke="{_EDGE}"/>'
            )
            for at, line in enumerate(self._lines(part)):
                yield _text(x + _WIDTH // 2, y + _LINE * (at + 1), line)

    def arrows(self) -> Iterator[str]:
        """What feeds what: parts each other, and the last ones their models."""
        lines: dict[str, None] = {}
        for at, parts in enumerate(self._models.values()):
            for part in parts:
                end = self._places[part.digest]
                for source in part.inputs:
                    if source.part is not None:
                        lines[_arrow(self._places[parts[source.part].digest], end)] = None
                if any(one.outputs for one in part.outputs):
                    lines[_arrow(end, (self._last, at))] = None
        yield from lines

    def names(self) -> Iterator[str]:
        """The models."""
        for at, key in enumerate(self._models):
            x, y = _corner((self._last, at))
            yield _text(x + 6, y + _HEIGHT // 2 + 4, _short(key), anchor="start", weight="bold")

    def _lines(self, part: Part) -> list[str]:
        users = self._users[part.digest]
        total = sum(one.macs for one in self._models[self._first[part.digest]])
        share = part.macs / total if total else 0.0
        who = f"shared by {len(users)}" if len(users) > 1 else f"only {users[0]}"
        plural = "" if len(part.nodes) == 1 else "s"
        return [
            _short(who),
            f"{len(part.nodes)} operator{plural}",
            f"{part.weight_bytes / 1e6:.2f} MB of weights",
            f"~{100 * share:.1f} % of the work",
        ]


def _placed(columns: Mapping[str, int]) -> dict[str, _Place]:
    rows: dict[int, int] = {}
    places: dict[str, _Place] = {}
    for digest, column in columns.items():
        places[digest] = (column, rows.get(column, 0))
        rows[column] = rows.get(column, 0) + 1
    return places


def _corner(place: _Place) -> _Place:
    column, row = place
    return _MARGIN + column * (_WIDTH + _ACROSS), _MARGIN + row * (_HEIGHT + _DOWN)


def _arrow(begin: _Place, end: _Place) -> str:
    (x, y), (right, down) = _corner(begin), _corner(end)
    x, y, down = x + _WIDTH, y + _HEIGHT // 2, down + _HEIGHT // 2
    half = (x + right) // 2
    return (
        f'<path d="M{x} {y}C{half} {y} {half} {down} {right} {down}" fill="none" '
        f'stroke="{_EDGE}" marker-end="url(#tip)"/>'
    )


def _text(x: int, y: int, text: str, anchor: str = "middle", weight: str = "normal") -> str:
    # XML has no way to write most control characters.
    shown = "".join(one if one.isprintable() else "\ufffd" for one in text)
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(shown)}</text>"
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
