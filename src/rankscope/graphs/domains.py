"""How far the axes go where nobody said it: all that is drawn, with a little air; and rules reach from end to end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.graphs.axis import Axis
from rankscope.graphs.marks import Bars, Dots, Guide, Mark, ShadedRegion, Spans, Stroke, SurfaceMark, TextMark, Tiles

if TYPE_CHECKING:
    from rankscope.graphs.graph import Graph

AIR = 0.04


def with_domains(graph: Graph) -> Graph:
    """The graph with a domain on each axis."""
    x = _filled(graph.x, (values for mark in graph.marks for values in _across(mark)))
    y = _filled(graph.y, (values for mark in graph.marks for values in _upward(mark)))
    z = graph.z and _filled(graph.z, (mark.z for mark in graph.marks if isinstance(mark, SurfaceMark)))
    marks = tuple(_reaching(mark, x, y) if isinstance(mark, Guide) else mark for mark in graph.marks)
    return replace(graph, x=x, y=y, z=z, marks=marks)


def _across(mark: Mark) -> Iterable[FloatArray]:
    if isinstance(mark, Bars):
        return (mark.x - mark.thick / 2, mark.x + mark.thick / 2)
    if isinstance(mark, Spans):
        return (mark.low, mark.high)
    if isinstance(mark, Tiles):
        return (mark.x - 0.5, mark.x + 0.5)
    if isinstance(mark, Stroke | ShadedRegion | Dots | SurfaceMark):
        return (mark.x,)
    return (np.array([mark.x]),) if isinstance(mark, TextMark) else ()


def _upward(mark: Mark) -> Iterable[FloatArray]:
    if isinstance(mark, ShadedRegion):
        return (mark.low, mark.high)
    if isinstance(mark, Bars):
        return (mark.y, np.array([mark.base]))
    if isinstance(mark, Tiles):
        return (mark.y - 0.5, mark.y + 0.5)
    if isinstance(mark, Stroke | Dots | SurfaceMark | Spans):
        return (mark.y,)
    return (np.array([mark.y]),) if isinstance(mark, TextMark) else ()


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
    room = (high - low) * AIR or abs(high) * AIR or 1.0
    return axis.over(0.0 if 0 <= low <= 0.25 * high else low - room, high + room)


def _reaching(guide: Guide, x: Axis, y: Axis) -> Guide:
    """A rule from end to end of the graph."""
    if np.isnan(guide.x).all():
        return replace(guide, x=np.array(x.domain))
    return replace(guide, y=np.array(y.domain)) if np.isnan(guide.y).all() else guide
