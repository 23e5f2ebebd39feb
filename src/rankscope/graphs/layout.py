"""Where everything stands, in CSS pixels: computed beforehand, so that nothing is cut off and no two labels meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from rankscope.graphs.axis import Axis
from rankscope.graphs.legend import LegendEntry, legend_of
from rankscope.graphs.look import Look
from rankscope.graphs.marks import Guide
from rankscope.graphs.text_width import fold_text, shorten_text, text_width, wrap_text
from rankscope.graphs.ticks import tick_text, ticks_of

if TYPE_CHECKING:
    from rankscope.graphs.graph import Graph

SAMPLE = 24.0  # width of a legend's sample
GAP = 4.0
TICK = 4.0
MOST_NAMES = 0.34  # of the picture's width that names on the left may take


@dataclass(frozen=True)
class Word:
    """A text at a place in the plot, from its upper left corner."""

    text: str
    x: float
    y: float
    align: Literal["left", "center", "right"] = "left"


@dataclass(frozen=True)
class LegendRow:
    """An entry of the legend at its place; y is the middle of the row."""

    entry: LegendEntry
    text: str
    x: float
    y: float


@dataclass(frozen=True)
class Ticks:
    """Values and what is written at each; a name may have several lines."""

    values: tuple[float, ...]
    texts: tuple[str, ...]

    def width(self, size: float) -> float:
        """The widest of the texts."""
        return max((text_width(line, size) for text in self.texts for line in text.split("\n")), default=0.0)

    @property
    def lines(self) -> int:
        """The most lines that one of the texts has."""
        return max((text.count("\n") + 1 for text in self.texts), default=1)


@dataclass(frozen=True)
class PlotLayout:
    """The plot's size, the room around it, and what stands in that room."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    x: Ticks
    y: Ticks
    second: Ticks | None
    heading: tuple[Word, ...]  # lines of the title, then of the subtitle
    title_lines: int
    legend: tuple[LegendRow, ...]
    guides: tuple[Word, ...]


def layout_of(graph: Graph, look: Look) -> PlotLayout:
    """A graph whose domains are known, at the width of the look."""
    most = 7 if look.width < 130 * 96 / 25.4 else 9
    y = _ticks(graph.y, min(most, 7))
    if graph.y.texts is not None:
        y = _named(y, MOST_NAMES * look.width, look, int(_gap(graph.y, y) * (graph.y.rows or 1) * look.row / look.line))
    second = None if graph.right is None else _second(graph, min(most, 7))
    guides = [mark for mark in graph.marks if isinstance(mark, Guide) and mark.name]
    left = y.width(look.small) + TICK + 2 * GAP + look.row
    edges = [_edge(mark, graph) for mark in guides]
    beside = [text_width(g.name, look.small) + GAP for g, e in zip(guides, edges, strict=True) if e == "right"]
    right = GAP + max(beside, default=0.0)
    over = [text_width(g.name, look.small) / 2 + 1 for g, e in zip(guides, edges, strict=True) if e == "top"]
    right = max(right, *over[-1:], _heat_legend(graph, look))
    if second is not None:
        right = second.width(look.small) + TICK + 2 * GAP + look.row
    x = _ticks(graph.x, most)
    if graph.x.texts is None:
        right = max(right, text_width(x.texts[-1], look.small) / 2 + 1 if x.texts else 0.0)
    width = look.width - left - right
    x = _fitting(graph.x, x, width, look)
    height = _height(graph.y, look) or width * look.ratio
    above = any(e == "top" for e in edges)
    rows = _rows(legend_of(graph), look, -left + GAP, look.width - 2 * GAP)
    offset = -(look.small * 1.7 if above else 0.6 * look.text) - GAP
    lowest = max((row.y for row in rows), default=-look.row / 2)
    rows = [LegendRow(row.entry, row.text, row.x, row.y - lowest - look.row / 2 + offset) for row in rows]
    roof = min((row.y for row in rows), default=offset) - look.row / 2
    heading, title_lines, top = _heading(graph, look, -left + GAP, roof if rows else offset)
    return PlotLayout(
        width=width,
        height=height,
        left=left,
        right=right,
        top=-top + GAP,
        bottom=look.small + (x.lines - 1) * look.line + TICK + GAP + look.row + 2 * GAP,
        x=x,
        y=y,
        second=second,
        heading=heading,
        title_lines=title_lines,
        legend=tuple(rows),
        guides=tuple(_guide_words(guides, edges, graph, look, width, height, second is not None)),
    )


def _heat_legend(graph: Graph, look: Look) -> float:
    """Room for the colours of a surface seen from above."""
    return 0.0 if graph.z is None else GAP + max(text_width(graph.z.title, look.small), 30.0) + 10.0


def _height(axis: Axis, look: Look) -> float:
    """As high as the names on the axis need; 0 where it has none."""
    if axis.rows is None or axis.domain is None:
        return 0.0
    return (axis.domain[1] - axis.domain[0]) * axis.rows * look.row


def _gap(axis: Axis, ticks: Ticks) -> float:
    """The least distance of two ticks, in units of the axis."""
    low, high = axis.domain or (0.0, 1.0)
    return min((abs(b - a) for a, b in pairwise(ticks.values)), default=high - low)


def _named(ticks: Ticks, room: float, look: Look, lines: int) -> Ticks:
    """Names in so many lines at most that fit into the room; what is longer is cut in the middle."""
    return Ticks(ticks.values, tuple("\n".join(fold_text(text, look.small, room, lines)) for text in ticks.texts))


def _ticks(axis: Axis, most: int) -> Ticks:
    values = ticks_of(axis, most)
    return Ticks(values, tuple(tick_text(value, axis) for value in values))


def _second(graph: Graph, most: int) -> Ticks:
    """Round values of the second quantity, at the heights where they stand on the left axis."""
    assert graph.right is not None
    low, high = graph.y.domain or (0.0, 1.0)
    factor = graph.right.factor
    own = graph.right.axis.over(low * factor, high * factor)
    limit = graph.right.axis.domain[1] if graph.right.axis.domain else math.inf
    values = [value for value in ticks_of(own, most) if value <= limit]
    return Ticks(tuple(value / factor for value in values), tuple(tick_text(value, own) for value in values))


def _fitting(axis: Axis, ticks: Ticks, width: float, look: Look) -> Ticks:
    """As many ticks as fit side by side; names are cut to their part of the width."""
    if axis.texts is not None:
        low, high = axis.domain or (0.0, 1.0)
        return _named(ticks, _gap(axis, ticks) / (high - low) * width - GAP, look, 3)
    most = len(ticks.values)
    while most > 2 and axis.ticks is None:
        room = min(((axis.place(b) - axis.place(a)) * width for a, b in pairwise(ticks.values)), default=width)
        if ticks.width(look.small) + 2.5 * GAP <= room:
            break
        most -= 1
        ticks = _ticks(axis, most)
    return ticks


def _edge(guide: Guide, graph: Graph) -> str:
    """At which side of the plot a guide ends: right, top, bottom, or inside; a guide of one point is a word on top."""
    if guide.at is not None:
        return "inside"
    if guide.x.size == 1:
        return "top"
    across, up = _end(guide, graph)
    if across >= 1 - 1e-6:
        return "right"
    if up >= 1 - 1e-6:
        return "top"
    return "bottom" if up <= 1e-6 else "inside"


def _end(guide: Guide, graph: Graph) -> tuple[float, float]:
    there = [i for i in range(guide.x.size) if math.isfinite(guide.x[i]) and math.isfinite(guide.y[i])]
    if not there:
        return 0.0, 0.0
    which = there[-1] if guide.at is None else there[round(guide.at * (len(there) - 1))]
    return graph.x.place(float(guide.x[which])), graph.y.place(float(guide.y[which]))


def _guide_words(
    guides: Sequence[Guide], edges: Sequence[str], graph: Graph, look: Look, width: float, height: float, second: bool
) -> list[Word]:
    ends = [(end[0] * width, (1 - end[1]) * height) for end in (_end(guide, graph) for guide in guides)]
    words: list[Word] = []
    at = {side: [i for i, e in enumerate(edges) if e == side] for side in ("right", "top", "bottom", "inside")}
    step = look.small * 1.12
    places = spread([ends[i][1] for i in at["right"]], [step] * len(at["right"]), 0.0, height)
    for i, y in zip(at["right"], places, strict=True):
        if second:
            words.append(Word(guides[i].name, width - GAP, ends[i][1] - look.small * 0.7, "right"))
        else:
            words.append(Word(guides[i].name, width + GAP, y))
    tops = _thinned(at["top"], guides, ends, look)
    widths = [text_width(guides[i].name, look.small) + 1.5 * GAP for i in tops]
    places = spread([ends[i][0] for i in tops], widths, 0.0, width)
    words += [Word(guides[i].name, x, -look.small, "center") for i, x in zip(tops, places, strict=True)]
    for i in (*at["bottom"], *at["inside"]):
        vertical, horizontal = guides[i].side.split()
        x = ends[i][0] + (GAP if horizontal == "right" else -GAP)
        down = 0.8 * look.small if vertical == "below" else -0.7 * look.small
        inside = look.small / 2 <= ends[i][1] + down <= height - look.small / 2
        y = ends[i][1] + (down if inside else -down)
        words.append(Word(guides[i].name, x, y, "left" if horizontal == "right" else "right"))
    return words


def _thinned(which: list[int], guides: Sequence[Guide], ends: Sequence[tuple[float, float]], look: Look) -> list[int]:
    """Every label, or every second, third, ... until none meets its neighbour."""
    ordered = sorted(which, key=lambda i: ends[i][0])
    half = {i: text_width(guides[i].name, look.small) / 2 for i in which}
    for step in range(1, len(ordered) + 1):
        kept = ordered[::step]
        pairs = pairwise(kept)
        if all(ends[a][0] + half[a] + GAP / 2 <= ends[b][0] - half[b] for a, b in pairs):
            return kept
    return ordered[:1]


def spread(places: Sequence[float], sizes: Sequence[float], low: float, high: float) -> list[float]:
    """The places moved apart as little as needed, in their order, so that things of these sizes do not overlap.

    >>> spread([10.0, 11.0], [4.0, 4.0], 0.0, 100.0)
    [8.5, 12.5]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    groups: list[tuple[list[int], float, float]] = []  # members, start, total size
    for i in order:
        members = [i]
        size, start = _placed(members, places, sizes, low, high)
        while groups and groups[-1][1] + groups[-1][2] > start:
            members = [*groups.pop()[0], *members]
            size, start = _placed(members, places, sizes, low, high)
        groups.append((members, start, size))
    result = [0.0] * len(places)
    for members, start, _ in groups:
        for i in members:
            result[i] = start + sizes[i] / 2
            start += sizes[i]
    return result


def _placed(
    members: list[int], places: Sequence[float], sizes: Sequence[float], low: float, high: float
) -> tuple[float, float]:
    """How long a group of neighbours is, and where it starts: around the mean of its places, within the bounds."""
    size = sum(sizes[i] for i in members)
    start = sum(places[i] for i in members) / len(members) - size / 2
    return size, max(low - sizes[members[0]] / 2, min(start, high + sizes[members[-1]] / 2 - size))


def _rows(entries: Sequence[LegendEntry], look: Look, left: float, room: float) -> list[LegendRow]:
    """The legend in as many columns as fit; what is too long is cut in the middle."""
    if not entries:
        return []
    widest = max(text_width(entry.text, look.text) for entry in entries) + SAMPLE + 3 * GAP
    columns = max(1, min(len(entries), int(room // widest)))
    height = math.ceil(len(entries) / columns)
    rows = []
    for number, entry in enumerate(entries):
        column, line = divmod(number, height)
        text = _fitted(entry, look.text, room - SAMPLE - 2 * GAP)
        rows.append(LegendRow(entry, text, left + column * widest, line * look.row))
    return rows


def _fitted(entry: LegendEntry, size: float, room: float) -> str:
    """As much of name and note as fits: the note goes part by part, then the name is cut in the middle."""
    parts = entry.note.split(", ") if entry.note else []
    while parts:
        text = f"{entry.name}: {', '.join(parts)}"
        if text_width(text, size) <= room:
            return text
        parts.pop()
    return shorten_text(entry.name, size, room)


def _heading(graph: Graph, look: Look, left: float, roof: float) -> tuple[tuple[Word, ...], int, float]:
    """Lines of title and subtitle from the top down, how many are the title's, and where they begin."""
    room = look.width - 2 * GAP
    title = wrap_text(graph.title, look.large, room, bold=True)
    subtitle = wrap_text(graph.subtitle, look.text, room)
    y = roof - GAP - (look.row * len(subtitle) + look.large * 1.3 * len(title)) if title or subtitle else roof
    top = y
    words = []
    for number, line in enumerate([*title, *subtitle]):
        tall = look.large * 1.3 if number < len(title) else look.row
        words.append(Word(line, left, y + tall / 2))
        y += tall
    return tuple(words), len(title), top
