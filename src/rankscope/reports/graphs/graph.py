"""A graph with its axes and marks: an immutable description; each method gives a new one, drawn when shown or saved."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.files import atomic

SERIES = ("curve", "point", "open point", "band", "bar", "span")


@dataclass(frozen=True)
class SecondAxis:
    """The same heights in another quantity on the right: what the left axis shows, times a factor."""

    axis: Axis
    factor: float


@dataclass(frozen=True, eq=False)
class Graph:
    """Title, axes and marks.

    >>> from rankscope.analysis.curves.curve import Curve
    >>> graph = Graph("Two points", x=Axis("recall", "r"), y=Axis("precision", "p"))
    >>> graph = graph.curve(Curve(np.array([0.5, 1.0]), np.array([1.0, 0.5])), name="BM25", note="2 queries")
    >>> [mark.role for mark in graph.marks]
    ['curve']
    """

    title: str
    x: Axis
    y: Axis
    subtitle: str = ""
    z: Axis | None = None
    right: SecondAxis | None = None
    marks: tuple[Mark, ...] = ()
    ratio: float | None = None  # height over width, where the kind of graph has its own
    summary: str = field(default="")  # one sentence for those who cannot see it
    conclusion: str = ""  # what its data allow to conclude, where they are of no reader's choice

    # what can be put on it

    def curve(
        self,
        line: Line,
        name: str = "",
        note: str = "",
        *,
        facts: Facts | None = None,
        steps: bool = False,
        markers: int | Sequence[int] = 6,
        light: bool = False,
        thin: Sequence[int] = (),
    ) -> Graph:
        """A curve of a series; `markers` is how many points carry one, or which points do.

        `thin`: the points that rest on little, to which the line is thin.
        """
        name, x, y = name or str(getattr(line, "name", "")), _floats(line.x), _floats(line.y)
        which = _spread(y, markers) if isinstance(markers, int) else tuple(markers)
        told, few = dict(facts or {}), tuple(thin)
        return self._with(
            Stroke("curve", name, x, y, note=note, facts=told, steps=steps, markers=which, light=light, thin=few)
        )

    def points(
        self,
        line: Line,
        name: str = "",
        note: str = "",
        *,
        open: ArrayLike = False,
        facts: Facts | None = None,
        edge: bool = False,
    ) -> Graph:
        """Points of a series; those that are `open` are drawn hollow."""
        x, y = _floats(line.x), _floats(line.y)
        hollow = np.broadcast_to(np.asarray(open, dtype=np.bool_), x.shape)
        name = name or str(getattr(line, "name", ""))
        graph = self
        parts: tuple[tuple[Role, BoolArray], ...] = (("point", ~hollow), ("open point", hollow))
        for role, chosen in parts:
            if chosen.any():
                rows = np.flatnonzero(chosen).tolist()
                kept = {key: [values[i] for i in rows] for key, values in (facts or {}).items()}
                graph = graph._with(Dots(role, name, x[chosen], y[chosen], note=note, facts=kept, edge=edge))
        return graph

    def band(self, interval: IntervalLike, name: str = "", note: str = "") -> Graph:
        """An interval around the curve of the same name."""
        return self._between("band", interval, name, note)

    def area(self, interval: IntervalLike, name: str = "", note: str = "") -> Graph:
        """A shaded region between two curves, in grey; its name stands in the legend."""
        return self._between("region", interval, name, note)

    def _between(self, role: Role, interval: IntervalLike, name: str, note: str) -> Graph:
        x, low, high = _floats(interval.x), _floats(interval.low), _floats(interval.high)
        return self._with(ShadedRegion(role, name, x=x, low=low, high=high, note=note))

    def bars(
        self,
        line: Line,
        name: str,
        note: str = "",
        *,
        base: float = 0.0,
        thick: float = 1.0,
        facts: Facts | None = None,
    ) -> Graph:
        """Upright bars, each `thick` wide in units of x."""
        x, y, told = _floats(line.x), _floats(line.y), dict(facts or {})
        return self._with(Bars("bar", name, x, y, base=base, thick=thick, note=note, facts=told))

    def spans(self, y: ArrayLike, low: ArrayLike, high: ArrayLike, name: str, note: str = "") -> Graph:
        """Level intervals of a series, one at each y; those that are NaN are left out."""
        places, lows, highs = _floats(y), _floats(low), _floats(high)
        there = np.isfinite(lows) & np.isfinite(highs)
        return self._with(Spans("span", name, y=places[there], low=lows[there], high=highs[there], note=note))

    def tiles(
        self,
        x: ArrayLike,
        y: ArrayLike,
        shade: ArrayLike,
        words: Sequence[str],
        below: Sequence[str] = (),
        *,
        name: str = "",
        facts: Facts | None = None,
    ) -> Graph:
        """Cells of a matrix with a word in each, and a smaller one below where there is room."""
        shades, told, under = _floats(shade), dict(facts or {}), tuple(below) or ("",) * len(words)
        places = {"x": _floats(x), "y": _floats(y)}
        return self._with(Tiles("tile", name, **places, shade=shades, words=tuple(words), below=under, facts=told))

    def guides(
        self, lines: Iterable[Line], *, dashed: bool = False, at: float | None = None, side: Side = "above right"
    ) -> Graph:
        """Thin grey lines, each with its name at its end, or on a side of the point that is `at` this share of it."""
        named = ((str(getattr(each, "name", "")), _floats(each.x), _floats(each.y)) for each in lines)
        return self._with(*(Guide("guide", *line, dashed=dashed, at=at, side=side) for line in named))

    def rule(self, *, x: float | None = None, y: float | None = None, label: str = "", dashed: bool = True) -> Graph:
        """A straight guide through the whole graph, level at y or upright at x."""
        if (x is None) == (y is None):
            raise ValueError("a rule is at one x or at one y")
        across, up = (np.full(2, np.nan if at is None else at) for at in (x, y))  # NaN: to be filled by the domain
        return self._with(Guide("guide", label, across, up, dashed=dashed))

    def text(self, x: float, y: float, text: str, align: Literal["left", "center", "right"] = "left") -> Graph:
        """A word at a place."""
        return self._with(TextMark("label", text, float(x), float(y), align=align))

    def surface(self, x: ArrayLike, y: ArrayLike, z: ArrayLike, name: str, axis: Axis) -> Graph:
        """A height z over a mesh; with it the graph has a third axis."""
        mark = SurfaceMark("surface", name, x=_floats(x), y=_floats(y), z=_floats(z))
        return replace(self._with(mark), z=axis)

    def second_axis(self, axis: Axis, factor: float) -> Graph:
        """On the right the same heights in another quantity: `factor` times what the left axis shows."""
        return replace(self, right=SecondAxis(axis, float(factor)))

    def described(self, **words: Any) -> Graph:
        """Another title, subtitle, summary, conclusion or ratio."""
        return replace(self, **words)

    def _with(self, *marks: Mark) -> Graph:
        return replace(self, marks=(*self.marks, *marks))

    # what is made of it

    @property
    def series(self) -> tuple[str, ...]:
        """Names of the series in the order they were put on the graph: their number decides what they wear."""
        return tuple(dict.fromkeys(mark.name for mark in self.marks if mark.role in SERIES))

    def only(self, names: Iterable[str]) -> Graph:
        """The same without the series of other names; guides, regions and words stay."""
        kept = set(names)
        return replace(self, marks=tuple(mark for mark in self.marks if mark.role not in SERIES or mark.name in kept))

    def resolved(self) -> Graph:
        """The same with every domain known and the marks from the back to the front."""
        ordered = sorted(self.marks, key=lambda mark: LAYERS.index(mark.role))
        extents = [_extent(mark) for mark in ordered]
        x = _filled(self.x, (values for across, _ in extents for values in across))
        y = _filled(self.y, (values for _, upward in extents for values in upward))
        z = self.z and _filled(self.z, (mark.z for mark in ordered if isinstance(mark, SurfaceMark)))
        marks = tuple(_reaching(mark, x, y) if isinstance(mark, Guide) else mark for mark in ordered)
        return replace(self, x=x, y=y, z=z, marks=marks)

    def draw(self, canvas: Canvas) -> None:
        """Put everything on a canvas, from the back to the front."""
        graph = self.resolved()
        canvas.begin(graph)
        for mark in graph.marks:
            canvas.mark(mark)

    def save(
        self, path: str | Path, *, theme: str = "light", width: str | float | None = None, flat: bool = False
    ) -> None:
        """Write it as the suffix says: svg, pdf, png, html (interactive, offline), json (Vega-Lite) or csv (the data).

        `width` is column (85 mm), full (175 mm) or millimetres. A surface is drawn in three dimensions in svg, pdf and
        png, unless `flat` or where matplotlib is not installed: then it is a heat map.
        """
        from rankscope.reports.graphs.saving import format_of, render_graph

        data = render_graph(self, format_of(path), theme=theme, width=width, flat=flat)
        with atomic(path, "wb") as file:
            file.write(data)

    def vega_lite(
        self, theme: str = "light", width: str | float = "column", interactive: bool = False
    ) -> dict[str, Any]:
        """The Vega-Lite specification as a dictionary."""
        from rankscope.reports.graphs.layout import Look
        from rankscope.reports.graphs.vega_lite import specification

        return specification(self, Look.of(theme, width, self.ratio), interactive)

    def _repr_html_(self) -> str:
        """What a notebook shows: a picture on its own paper, not higher than a screen, and nothing to load."""
        from base64 import b64encode
        from html import escape

        from rankscope.reports.graphs.saving import render_graph

        picture = b64encode(render_graph(self, "svg", width="full", flat=True)).decode()
        told = escape(self.summary or repr(self))
        return f'<img alt="{told}" style="max-width:100%;max-height:640px" src="data:image/svg+xml;base64,{picture}">'

    def __repr__(self) -> str:
        roles = [mark.role for mark in self.marks]
        counts = ", ".join(f"{roles.count(role)} {role}" for role in LAYERS if role in roles)
        told = f"Graph({self.title!r}: {self.y.title} against {self.x.title}; {counts or 'empty'})"
        return "\n".join(textwrap.wrap(told, 120, max_lines=10))


def _floats(values: ArrayLike) -> FloatArray:
    return np.asarray(values, dtype=np.float64)


def _spread(y: FloatArray, count: int) -> tuple[int, ...]:
    """Some points that exist, evenly over the line."""
    there = np.flatnonzero(np.isfinite(y))
    if count <= 0 or there.size == 0:
        return ()
    chosen = np.unique(np.linspace(0, there.size - 1, min(count, there.size)).round().astype(np.int64))
    return tuple(int(each) for each in there[chosen])


class Canvas(Protocol):
    """Receives a graph whose domains are known, then its marks one after the other, from the back to the front."""

    def begin(self, graph: Graph) -> None: ...  # axes, title, legend
    def mark(self, mark: Mark) -> None: ...


# One axis of a graph: a quantity in words with its symbol, a scale, and how far it goes.

Scale = Literal["linear", "log2"]


@dataclass(frozen=True)
class Axis:
    """What an axis shows; `domain` None takes in all that is drawn, `ticks` None chooses readable ones.

    >>> Axis("generality index", "G = log2(d/c)").title
    'generality index G = log2(d/c)'
    """

    quantity: str
    symbol: str = ""
    scale: Scale = "linear"
    domain: tuple[float, float] | None = None
    ticks: tuple[float, ...] | None = None
    whole: bool = False  # only whole numbers make sense as ticks
    texts: tuple[str, ...] | None = None  # names at the ticks, in place of numbers
    rows: float | None = None  # lines of text that one unit of y takes: the graph is as high as its names need
    lower_is_better: bool = False  # of a measure, so that the curve that leads is the lowest

    def __post_init__(self) -> None:
        if self.scale not in ("linear", "log2"):
            raise SettingError(f"a scale is linear or log2, got {self.scale!r}")
        if self.texts is not None and len(self.texts) != len(self.ticks or ()):
            raise SettingError(f"{self.quantity} has {len(self.texts)} names for {len(self.ticks or ())} ticks")
        if self.domain is not None:
            low, high = self.domain
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise SettingError(
                    f"the domain of {self.quantity} must go from a number to a larger one: {low}, {high}"
                )
            if self.scale == "log2" and low <= 0:
                raise SettingError(f"a log2 axis starts above 0, got {low} for {self.quantity}")

    @property
    def title(self) -> str:
        """The quantity and its symbol."""
        return f"{self.quantity} {self.symbol}".strip()

    def over(self, low: float, high: float) -> Axis:
        """The same axis from low to high."""
        return replace(self, domain=(float(low), float(high)))

    def place(self, value: float) -> float:
        """Where a value stands on the axis: 0 at its start, 1 at its end."""
        low, high = self.domain or (0.0, 1.0)
        if self.scale == "log2":
            return math.log2(value / low) / math.log2(high / low)
        return (value - low) / (high - low)


# How far the axes go where nobody said it: all that is drawn, with a little air; and rules reach from end to end.

DOMAIN_AIR = 0.04


def _extent(mark: Mark) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
    """What a mark takes of x and of y; a guide takes nothing."""
    if isinstance(mark, Bars):
        return (mark.x - mark.thick / 2, mark.x + mark.thick / 2), (mark.y, np.array([mark.base]))
    if isinstance(mark, Tiles):
        return (mark.x - 0.5, mark.x + 0.5), (mark.y - 0.5, mark.y + 0.5)
    if isinstance(mark, Spans):
        return (mark.low, mark.high), (mark.y,)
    if isinstance(mark, ShadedRegion):
        return (mark.x,), (mark.low, mark.high)
    if isinstance(mark, Stroke | Dots | SurfaceMark):
        return (mark.x,), (mark.y,)
    return ((np.array([mark.x]),), (np.array([mark.y]),)) if isinstance(mark, TextMark) else ((), ())


def _filled(axis: Axis, parts: Iterable[FloatArray]) -> Axis:
    if axis.domain is not None:
        return axis
    values = np.concatenate([np.empty(0), *(part.ravel() for part in parts)])
    values = values[np.isfinite(values) & ((values > 0) | (axis.scale == "linear"))]
    if values.size == 0:
        return axis.over(1.0, 2.0) if axis.scale == "log2" else axis.over(0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    if axis.scale == "log2":
        return axis.over(low, high) if low < high else axis.over(low / 2, high * 2)
    room = (high - low) * DOMAIN_AIR or abs(high) * DOMAIN_AIR or 1.0
    return axis.over(0.0 if 0 <= low <= 0.25 * high else low - room, high + room)


def _reaching(guide: Guide, x: Axis, y: Axis) -> Guide:
    """A rule from end to end of the graph."""
    if np.isnan(guide.x).all():
        return replace(guide, x=np.array(x.domain))
    return replace(guide, y=np.array(y.domain)) if np.isnan(guide.y).all() else guide


# Where an axis has ticks, and what is written there.

TICK_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
SLACK = 1e-9


def ticks_of(axis: Axis, most: int) -> tuple[float, ...]:
    """At most so many ticks (two at least): round numbers, powers of two on a log2 axis, given ones inside the domain.

    >>> ticks_of(Axis("precision", "p", domain=(0, 1)), most=6)
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    >>> ticks_of(Axis("scope", "s", "log2", (1, 1024)), most=6)
    (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0)
    >>> ticks_of(Axis("scope", "s", "log2", (1, 60), ticks=(1, 64)), most=6)
    (1,)
    """
    low, high = axis.domain or (0.0, 1.0)
    if axis.ticks is not None:
        return tuple(tick for tick in axis.ticks if 0 - SLACK <= axis.place(tick) <= 1 + SLACK)
    if axis.scale == "log2":
        first, last = math.ceil(math.log2(low) - SLACK), math.floor(math.log2(high) + SLACK)
        stride = max(1, math.ceil((last - first) / max(most - 1, 1)))
        result = tuple(2.0**power for power in range(first + (-first) % stride, last + 1, stride))
    else:
        result = _round(low, high, most, axis.whole)
    return tuple(tick for tick in result if 0 - SLACK <= axis.place(tick) <= 1 + SLACK)  # rounded out of a tiny domain


def _round(low: float, high: float, most: int, whole: bool) -> tuple[float, ...]:
    least = (high - low) / max(most - 1, 1)
    tenth = 10.0 ** math.floor(math.log10(least))
    step = next(tenth * each for each in TICK_STEPS if tenth * each >= least * (1 - SLACK))
    step = max(1.0, float(math.ceil(step))) if whole else step
    first, last = math.ceil(low / step - SLACK), math.floor(high / step + SLACK)
    return tuple(round(number * step, 12) for number in range(first, last + 1))


def tick_text(value: float, axis: Axis) -> str:
    """A number as it stands on an axis: 0.2, 1,000; on a log2 axis below 1 a fraction; its name where it has one.

    >>> tick_text(0.25, Axis("precision")), tick_text(4096.0, Axis("scope")), tick_text(0.25, Axis("p", scale="log2"))
    ('0.25', '4,096', '1/4')
    """
    if axis.texts is not None and axis.ticks is not None:
        return axis.texts[axis.ticks.index(value)]
    if axis.scale == "log2" and 0 < value < 1 and math.log2(value).is_integer():
        return f"1/{1 / value:,.0f}"
    text = f"{value:,.6f}".rstrip("0").rstrip(".")
    return text.replace("-", "\N{MINUS SIGN}") if text != "-0" else "0"


Role = Literal["surface", "tile", "region", "bar", "guide", "band", "curve", "span", "point", "open point", "label"]
LAYERS: tuple[Role, ...] = get_args(Role)
Side = Literal["above left", "above right", "below left", "below right"]
Facts: TypeAlias = Mapping[str, Sequence[object]]  # for each point a value to tell when a reader points at it


class Line(Protocol):
    """Anything with x and y, as the curves of `rankscope.analysis`."""

    @property
    def x(self) -> FloatArray: ...
    @property
    def y(self) -> FloatArray: ...


class IntervalLike(Protocol):
    """Anything with x, low and high, as a band around a curve."""

    @property
    def x(self) -> FloatArray: ...
    @property
    def low(self) -> FloatArray: ...
    @property
    def high(self) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class Mark:
    """What all marks have: a role, and the name of the series they belong to, which decides colour, dash and shape."""

    role: Role
    name: str


@dataclass(frozen=True, eq=False)
class Stroke(Mark):
    """A line through points, with a gap where y is NaN; markers at some points make it readable in grey."""

    x: FloatArray
    y: FloatArray
    note: str = ""  # behind the name in the legend: how many queries, which generality
    facts: Facts = field(default_factory=dict)
    steps: bool = False
    markers: tuple[int, ...] = ()
    light: bool = False  # in the background of its own series, e.g. what a model extrapolates
    thin: tuple[int, ...] = ()  # points that rest on little: the line to them is thin, their markers are hollow


@dataclass(frozen=True, eq=False)
class Guide(Mark):
    """A thin grey line that helps to read; its name stands at its end, or next to the point that is `at` this share."""

    x: FloatArray
    y: FloatArray
    dashed: bool = False
    at: float | None = None
    side: Side = "above right"


@dataclass(frozen=True, eq=False)
class ShadedRegion(Mark):
    """A shaded part between a lower and an upper line: a region of the graph in grey, or the band of a series."""

    x: FloatArray
    low: FloatArray
    high: FloatArray
    note: str = ""


@dataclass(frozen=True, eq=False)
class Bars(Mark):
    """Upright bars from `base` to y, one at each x, `thick` wide in units of x."""

    x: FloatArray
    y: FloatArray
    base: float = 0.0
    thick: float = 1.0
    note: str = ""
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Spans(Mark):
    """Level intervals from low to high, one at each y."""

    y: FloatArray
    low: FloatArray
    high: FloatArray
    note: str = ""


@dataclass(frozen=True, eq=False)
class Tiles(Mark):
    """Cells of a matrix, one unit wide and high around (x, y), each with a word and a smaller one below it.

    `shade` is how much colour a tile has: 0 to 1; below 0 it is the colour of the other side. NaN has none.
    """

    x: FloatArray
    y: FloatArray
    shade: FloatArray
    words: tuple[str, ...]
    below: tuple[str, ...]
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Dots(Mark):
    """Points, filled or open; an open point stands for less than it seems: few queries, or a value off the scale."""

    x: FloatArray
    y: FloatArray
    note: str = ""
    facts: Facts = field(default_factory=dict)
    edge: bool = False  # a triangle at the border: the value lies beyond it


@dataclass(frozen=True, eq=False)
class TextMark(Mark):
    """A word at a place; `align` says on which side of the place it ends."""

    x: float
    y: float
    align: Literal["left", "center", "right"] = "left"


@dataclass(frozen=True, eq=False)
class SurfaceMark(Mark):
    """A height z over a mesh of points (x, y), all three two-dimensional."""

    x: FloatArray
    y: FloatArray
    z: FloatArray
