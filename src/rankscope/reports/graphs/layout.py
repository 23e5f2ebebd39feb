"""How graphs look, and where everything stands, in CSS pixels: computed beforehand, so that no two labels meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from rankscope.core.catalogue import Catalogue
from rankscope.core.validation import Number, OneOf, Optional, Rule, check, check_fields
from rankscope.reports.graphs.graph import Axis, Bars, Dots, Guide, ShadedRegion, Spans, Stroke, tick_text, ticks_of

if TYPE_CHECKING:
    from rankscope.reports.graphs.graph import Graph


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
        return max((text_width(line, size) for text in self.texts for line in text.split("\n")), default=0.0)

    @property
    def lines(self) -> int:
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
    second = None
    if graph.right is not None:  # round values of the second quantity, at the heights where they stand on the left axis
        (bottom, upper), factor = graph.y.domain or (0.0, 1.0), graph.right.factor
        own = graph.right.axis.over(bottom * factor, upper * factor)
        limit = graph.right.axis.domain[1] if graph.right.axis.domain else math.inf
        shown = [value for value in ticks_of(own, min(most, 7)) if value <= limit]
        second = Ticks(tuple(value / factor for value in shown), tuple(tick_text(value, own) for value in shown))
    guides = [mark for mark in graph.marks if isinstance(mark, Guide) and mark.name]
    left = y.width(look.small) + TICK + 2 * GAP + look.row
    edges = [_edge(mark, graph) for mark in guides]
    beside = [text_width(g.name, look.small) + GAP for g, e in zip(guides, edges, strict=True) if e == "right"]
    right = GAP + max(beside, default=0.0)
    over = [text_width(g.name, look.small) / 2 + 1 for g, e in zip(guides, edges, strict=True) if e == "top"]
    colours = 0.0 if graph.z is None else GAP + max(text_width(graph.z.title, look.small), 30.0) + 10.0  # of a surface
    right = max(right, *over[-1:], colours)
    if second is not None:
        right = second.width(look.small) + TICK + 2 * GAP + look.row
    x = _ticks(graph.x, most)
    if graph.x.texts is None:
        right = max(right, text_width(x.texts[-1], look.small) / 2 + 1 if x.texts else 0.0)
    width = look.width - left - right
    x = _fitting(graph.x, x, width, look)
    height = width * look.ratio
    if graph.y.rows is not None and graph.y.domain is not None:  # as high as the names on the axis need
        height = (graph.y.domain[1] - graph.y.domain[0]) * graph.y.rows * look.row or height
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
    rows, within = [], room - SAMPLE - 2 * GAP
    for number, entry in enumerate(entries):
        column, line = divmod(number, height)
        text, parts = entry.text, entry.note.split(", ") if entry.note else []
        while parts and text_width(text, look.text) > within:  # the note goes part by part, then the name is cut
            parts.pop()
            text = f"{entry.name}: {', '.join(parts)}"
        text = text if parts else shorten_text(entry.name, look.text, within)
        rows.append(LegendRow(entry, text, left + column * widest, line * look.row))
    return rows


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


# What the legend says: one entry for each series and each named region, with all its kinds of marks in one sample.


@dataclass(frozen=True)
class LegendEntry:
    """A series or a region: its name, the note behind it, and what its sample shows."""

    name: str
    note: str
    number: int  # of the series, which decides what it wears; -1 for a region
    line: bool = False
    marker: bool = False
    swatch: bool = False
    span: bool = False  # a line without dashes
    hollow: bool = False  # all its markers are open

    @property
    def text(self) -> str:
        return f"{self.name}: {self.note}" if self.note else self.name


def legend_of(graph: Graph) -> tuple[LegendEntry, ...]:
    """Series in their order, then regions; what has no name is not there."""
    series = [_entry(name, number, graph) for number, name in enumerate(graph.series) if name]
    regions = [mark for mark in graph.marks if isinstance(mark, ShadedRegion) and mark.role == "region" and mark.name]
    return (*series, *(LegendEntry(mark.name, mark.note, -1, swatch=True) for mark in regions))


def _entry(name: str, number: int, graph: Graph) -> LegendEntry:
    marks = [
        mark for mark in graph.marks if mark.name == name and mark.role not in ("guide", "label", "region", "tile")
    ]
    strokes = [mark for mark in marks if isinstance(mark, Stroke)]
    dots = [mark for mark in marks if isinstance(mark, Dots)]
    return LegendEntry(
        name=name,
        note=next(filter(None, (str(getattr(mark, "note", "")) for mark in marks)), ""),
        number=number,
        line=bool(strokes),
        marker=any(stroke.markers for stroke in strokes) or bool(dots),
        swatch=any(isinstance(mark, Bars | ShadedRegion) for mark in marks),
        span=any(isinstance(mark, Spans) for mark in marks),
        hollow=bool(dots) and not strokes and all(mark.role == "open point" for mark in dots),
    )


# How wide a text is in Arial, Helvetica or Liberation Sans, which share their widths: layout without a browser.

FIRST = 32


def _thousandths(text: str) -> tuple[int, ...]:
    """Of the size, from the blank to the tilde."""
    return tuple(map(int, text.split()))


PLAIN = _thousandths("""
278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278
278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722
667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556
556 333 500 278 556 500 722 500 500 500 334 260 334 584
""")
BOLD = _thousandths("""
278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333
333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722
667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611
611 389 556 333 611 556 778 556 556 500 389 280 389 584
""")
BEYOND = {"\N{MINUS SIGN}": 584, "\N{PLUS-MINUS SIGN}": 549, "\N{MULTIPLICATION SIGN}": 584}
OTHER, WIDE = 611, 1000
EQUALS = "\N{NULL}"  # stands for an equals sign with its blanks while a text is taken apart


def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a text in the unit of its size.

    >>> round(text_width("recall r", 10), 2)
    30.0
    """
    widths = BOLD if bold else PLAIN
    total = 0
    for sign in text:
        place = ord(sign) - FIRST
        known = 0 <= place < len(widths)
        total += widths[place] if known else BEYOND.get(sign, WIDE if ord(sign) >= 0x1100 else OTHER)
    return total * size / 1000


def wrap_text(text: str, size: float, room: float, bold: bool = False) -> list[str]:
    """The text in lines that fit into the room; a word that is too long stays whole, and so does c = 8 where it fits.

    >>> wrap_text("precision and recall", 10, 70)
    ['precision and', 'recall']
    >>> wrap_text("queries with c = 8", 10, 70)
    ['queries with', 'c = 8']
    """
    words: list[str] = []
    for joined in text.replace(" = ", EQUALS).split():
        whole = joined.replace(EQUALS, " = ")
        words += [whole] if text_width(whole, size, bold) <= room else whole.split()
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def shorten_text(text: str, size: float, room: float) -> str:
    """The text, cut in the middle with three dots where it does not fit."""
    if text_width(text, size) <= room or len(text) < 8:
        return text
    keep = len(text) - 3
    while keep > 4 and text_width(text[: (keep + 1) // 2] + "..." + text[-(keep // 2) :], size) > room:
        keep -= 1
    return text[: (keep + 1) // 2] + "..." + text[-(keep // 2) :]


def fold_text(text: str, size: float, room: float, lines: int) -> list[str]:
    """The text in so many lines at most, each cut in the middle where it does not fit.

    >>> fold_text("bag of visual words with a thousand clusters", 10, 70, lines=2)
    ['bag of visual', 'words ...usters']
    """
    most = max(lines, 1)
    parts = wrap_text(text, size, room)
    if len(parts) > most:
        parts = [*parts[: most - 1], " ".join(parts[most - 1 :])]
    return [shorten_text(part, size, room) for part in parts]


# How graphs look: size, theme, colours of tiles, and what tells one series from another in colour and in grey.

MM = 96 / 25.4  # CSS pixels
POINT = 96 / 72
FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
WIDTHS: dict[str, float] = {"column": 85.0, "full": 175.0}  # mm: one and two columns of a journal


@dataclass(frozen=True)
class Theme:
    name: str
    paper: str
    ink: str
    faint: str  # guides and ticks
    words: str  # words on guides
    shade: str  # regions
    series: tuple[str, ...]


MILLIMETRES = Number(least=40, most=600)

# Okabe & Ito's colours, which colour-blind readers can distinguish, without those too pale for a thin line
LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#1a1a1a",
    faint="#a6a6a6",
    words="#5e5e5e",
    shade="#ececec",
    series=("#0072b2", "#d55e00", "#009e73", "#8f4a7b", "#000000", "#b8860b", "#56b4e9", "#7f7f7f"),
)
DARK = Theme(
    name="dark",
    paper="#16181d",
    ink="#e8e8e8",
    faint="#6e737c",
    words="#a9aeb8",
    shade="#262a31",
    series=("#56b4e9", "#ff8c42", "#2fd0a0", "#e79ac8", "#ffffff", "#f0e442", "#4f8fd6", "#9a9a9a"),
)
THEMES: Catalogue[Theme] = Catalogue("theme", (LIGHT, DARK))
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (5, 2),
    (1.5, 1.5),
    (7, 2, 1.5, 2),
    (9, 2.5),
    (3, 1.5, 1, 1.5, 1, 1.5),
    (2.5, 2.5),
    (12, 2, 3, 2),
)
SHAPES: tuple[str, ...] = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)


@dataclass(frozen=True)
class Dress:
    """What one series wears."""

    colour: str
    dash: tuple[float, ...]
    shape: str


class Width(Rule):
    """A width by name or in millimetres, which a text may hold too."""

    def plain(self, value: Any) -> float:
        """In millimetres."""
        if isinstance(value, str) and value in WIDTHS:
            return WIDTHS[value]
        try:
            return float(MILLIMETRES.plain(float(value)))
        except (TypeError, ValueError):
            raise ValueError("must be column (85 mm), full (175 mm) or 40 to 600 millimetres") from None


@dataclass(frozen=True)
class Look:
    """Theme and size of a picture; lengths in CSS pixels, 96 to the inch, so that it prints at the size asked for.

    >>> Look.of(width="column").width
    321.3
    """

    theme: Theme = LIGHT
    width: float = 321.3
    ratio: float = 0.72  # height of the plot over its width
    text: float = 8 * POINT

    def __post_init__(self) -> None:
        check_fields(self, width=Number(above=0), ratio=Number(above=0), text=Number(above=0))

    @classmethod
    def of(cls, theme: str = "light", width: str | float = "column", ratio: float | None = None) -> Look:
        """A look by names: theme light or dark, width column (85 mm), full (175 mm) or millimetres."""
        rules = {"theme": OneOf(THEMES.names()), "width": Width(), "ratio": Optional(Number(above=0))}
        theme, wide, ratio = check(locals(), **rules).values()
        own = cls(THEMES.find(theme), round(wide * MM, 1), text=(8 if wide < 130 else 9) * POINT)
        own = replace(own, ratio=0.72 if wide < 130 else 0.52)
        return own if ratio is None else replace(own, ratio=ratio)

    @property
    def small(self) -> float:
        """Size of the numbers on the axes and of the words on guides."""
        return self.text * 0.92

    @property
    def large(self) -> float:
        """Size of the title."""
        return self.text * 1.12

    @property
    def row(self) -> float:
        """Height of a row of text."""
        return self.text * 1.35

    @property
    def line(self) -> float:
        """Distance of two lines of one name on an axis."""
        return self.small * 1.1

    def dress(self, number: int) -> Dress:
        """Colour, dash and shape of the series of this number; dash and shape go on where colours repeat."""
        colours = self.theme.series
        turn = number // len(colours)
        return Dress(
            colours[number % len(colours)],
            DASHES[(number + turn) % len(DASHES)],
            SHAPES[(number + 3 * turn) % len(SHAPES)],
        )


# Colours of tiles: from the paper to the colour of a series, and ink that can be read on them.

FULL = 0.85  # of the colour of the series, where the shade is 1


def shade_colour(shade: float, theme: Theme) -> str:
    """Paper at 0, towards the first colour of the theme up to 1, towards the second down to -1; NaN is paper.

    >>> from rankscope.reports.graphs.layout import LIGHT
    >>> shade_colour(0.0, LIGHT), shade_colour(1.0, LIGHT), shade_colour(-1.0, LIGHT)
    ('#ffffff', '#2687be', '#db7626')
    """
    if not math.isfinite(shade):
        return theme.paper
    end = _parts(theme.series[0] if shade >= 0 else theme.series[1])
    share = FULL * min(abs(shade), 1.0)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(_parts(theme.paper), end, strict=True))


def ink_on(colour: str) -> str:
    """Black or white, whichever stands out more.

    >>> ink_on("#ffffff"), ink_on("#0072b2")
    ('#000000', '#ffffff')
    """
    bright = sum(
        weight * (part / 255) ** 2.2 for weight, part in zip((0.2126, 0.7152, 0.0722), _parts(colour), strict=True)
    )
    return "#000000" if bright > 0.18 else "#ffffff"


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
