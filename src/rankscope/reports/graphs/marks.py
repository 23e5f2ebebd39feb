"""What can stand on a graph: small values with a role, drawn from the back to the front in the order of `LAYERS`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, get_args

from rankscope.core.arrays import FloatArray

Role = Literal["surface", "tile", "region", "bar", "guide", "band", "curve", "span", "point", "open point", "label"]
LAYERS: tuple[Role, ...] = get_args(Role)
Side = Literal["above left", "above right", "below left", "below right"]
Facts: TypeAlias = Mapping[str, Sequence[object]]  # for each point a value to tell when a reader points at it


class Line(Protocol):
    """Anything with x and y, as the curves of `rankscope.analysis`."""

    @property
    def x(self) -> FloatArray:
        """Abscissae."""

    @property
    def y(self) -> FloatArray:
        """Ordinates."""


class IntervalLike(Protocol):
    """Anything with x, low and high, as a band around a curve."""

    @property
    def x(self) -> FloatArray:
        """Abscissae."""

    @property
    def low(self) -> FloatArray:
        """Lower ends."""

    @property
    def high(self) -> FloatArray:
        """Upper ends."""


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
