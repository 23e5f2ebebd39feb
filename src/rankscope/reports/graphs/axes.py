"""The axes of a graph: a quantity with its symbol and scale, how far it goes where nobody said it, and its ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.reports.graphs.marks import (
    Bars,
    Dots,
    Guide,
    Mark,
    ShadedRegion,
    Spans,
    Stroke,
    SurfaceMark,
    TextMark,
    Tiles,
)

if TYPE_CHECKING:
    from rankscope.reports.graphs.graph import Graph


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


def with_domains(graph: Graph) -> Graph:
    """The graph with a domain on each axis."""
    extents = [_extent(mark) for mark in graph.marks]
    x = _filled(graph.x, (values for across, _ in extents for values in across))
    y = _filled(graph.y, (values for _, upward in extents for values in upward))
    z = graph.z and _filled(graph.z, (mark.z for mark in graph.marks if isinstance(mark, SurfaceMark)))
    marks = tuple(_reaching(mark, x, y) if isinstance(mark, Guide) else mark for mark in graph.marks)
    return replace(graph, x=x, y=y, z=z, marks=marks)


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
    result = _powers(low, high, most) if axis.scale == "log2" else _round(low, high, most, axis.whole)
    return tuple(tick for tick in result if 0 - SLACK <= axis.place(tick) <= 1 + SLACK)  # rounded out of a tiny domain


def _round(low: float, high: float, most: int, whole: bool) -> tuple[float, ...]:
    least = (high - low) / max(most - 1, 1)
    tenth = 10.0 ** math.floor(math.log10(least))
    step = next(tenth * each for each in TICK_STEPS if tenth * each >= least * (1 - SLACK))
    step = max(1.0, float(math.ceil(step))) if whole else step
    first, last = math.ceil(low / step - SLACK), math.floor(high / step + SLACK)
    return tuple(round(number * step, 12) for number in range(first, last + 1))


def _powers(low: float, high: float, most: int) -> tuple[float, ...]:
    first, last = math.ceil(math.log2(low) - SLACK), math.floor(math.log2(high) + SLACK)
    step = max(1, math.ceil((last - first) / max(most - 1, 1)))
    return tuple(2.0**power for power in range(first + (-first) % step, last + 1, step))


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
