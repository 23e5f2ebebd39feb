"""A graph is an immutable description: each method gives a new one; nothing is drawn until it is shown or saved."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.reports.graphs.axes import Axis, with_domains
from rankscope.reports.graphs.marks import (
    LAYERS,
    Bars,
    Dots,
    Facts,
    Guide,
    IntervalLike,
    Line,
    Mark,
    Role,
    ShadedRegion,
    Side,
    Spans,
    Stroke,
    SurfaceMark,
    TextMark,
    Tiles,
)

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
        x, y = _floats(line.x), _floats(line.y)
        name = name or str(getattr(line, "name", ""))
        told = {} if facts is None else dict(facts)
        which = _spread(y, markers) if isinstance(markers, int) else tuple(markers)
        return self._with(
            Stroke(
                role="curve",
                name=name,
                x=x,
                y=y,
                note=note,
                facts=told,
                steps=steps,
                markers=which,
                light=light,
                thin=tuple(thin),
            )
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
                kept = {
                    key: [values[i] for i in np.flatnonzero(chosen).tolist()] for key, values in (facts or {}).items()
                }
                graph = graph._with(
                    Dots(role=role, name=name, x=x[chosen], y=y[chosen], note=note, facts=kept, edge=edge)
                )
        return graph

    def band(self, interval: IntervalLike, name: str = "", note: str = "") -> Graph:
        """An interval around the curve of the same name."""
        low, high = _floats(interval.low), _floats(interval.high)
        return self._with(ShadedRegion(role="band", name=name, x=_floats(interval.x), low=low, high=high, note=note))

    def area(self, interval: IntervalLike, name: str = "", note: str = "") -> Graph:
        """A shaded region between two curves, in grey; its name stands in the legend."""
        low, high = _floats(interval.low), _floats(interval.high)
        return self._with(ShadedRegion(role="region", name=name, x=_floats(interval.x), low=low, high=high, note=note))

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
        return self._with(
            Bars(
                role="bar",
                name=name,
                x=_floats(line.x),
                y=_floats(line.y),
                base=base,
                thick=thick,
                note=note,
                facts=dict(facts or {}),
            )
        )

    def spans(self, y: ArrayLike, low: ArrayLike, high: ArrayLike, name: str, note: str = "") -> Graph:
        """Level intervals of a series, one at each y; those that are NaN are left out."""
        ends = _floats(low), _floats(high)
        there = np.isfinite(ends[0]) & np.isfinite(ends[1])
        return self._with(
            Spans(role="span", name=name, y=_floats(y)[there], low=ends[0][there], high=ends[1][there], note=note)
        )

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
        under = tuple(below) or ("",) * len(words)
        tiles = Tiles(
            role="tile",
            name=name,
            x=_floats(x),
            y=_floats(y),
            shade=_floats(shade),
            words=tuple(words),
            below=under,
            facts=dict(facts or {}),
        )
        return self._with(tiles)

    def guides(
        self, lines: Iterable[Line], *, dashed: bool = False, at: float | None = None, side: Side = "above right"
    ) -> Graph:
        """Thin grey lines, each with its name at its end, or on a side of the point that is `at` this share of it."""
        result = (
            Guide(
                role="guide",
                name=str(getattr(each, "name", "")),
                x=_floats(each.x),
                y=_floats(each.y),
                dashed=dashed,
                at=at,
                side=side,
            )
            for each in lines
        )
        return self._with(*result)

    def rule(self, *, x: float | None = None, y: float | None = None, label: str = "", dashed: bool = True) -> Graph:
        """A straight guide through the whole graph, level at y or upright at x."""
        if (x is None) == (y is None):
            raise ValueError("a rule is at one x or at one y")
        ends = np.array([np.nan, np.nan])  # filled in when the domain is known
        across = Guide(role="guide", name=label, x=ends, y=np.full(2, y if y is not None else np.nan), dashed=dashed)
        upright = Guide(role="guide", name=label, x=np.full(2, x if x is not None else np.nan), y=ends, dashed=dashed)
        return self._with(across if x is None else upright)

    def text(self, x: float, y: float, text: str, align: Literal["left", "center", "right"] = "left") -> Graph:
        """A word at a place."""
        return self._with(TextMark(role="label", name=text, x=float(x), y=float(y), align=align))

    def surface(self, x: ArrayLike, y: ArrayLike, z: ArrayLike, name: str, axis: Axis) -> Graph:
        """A height z over a mesh; with it the graph has a third axis."""
        return replace(
            self._with(SurfaceMark(role="surface", name=name, x=_floats(x), y=_floats(y), z=_floats(z))), z=axis
        )

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
        names = [mark.name for mark in self.marks if mark.role in SERIES]
        return tuple(dict.fromkeys(names))

    def only(self, names: Iterable[str]) -> Graph:
        """The same without the series of other names; guides, regions and words stay."""
        kept = set(names)
        return replace(self, marks=tuple(mark for mark in self.marks if mark.role not in SERIES or mark.name in kept))

    def resolved(self) -> Graph:
        """The same with every domain known and the marks from the back to the front."""
        ordered = sorted(self.marks, key=lambda mark: LAYERS.index(mark.role))
        return with_domains(replace(self, marks=tuple(ordered)))

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
        from rankscope.reports.graphs.saving import save_graph

        save_graph(self, path, theme=theme, width=width, flat=flat)

    def vega_lite(
        self, theme: str = "light", width: str | float = "column", interactive: bool = False
    ) -> dict[str, Any]:
        """The Vega-Lite specification as a dictionary."""
        from rankscope.reports.graphs.style import Look
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


# What a canvas must be able to do.


class Canvas(Protocol):
    """Receives a graph whose domains are known, then its marks one after the other, from the back to the front."""

    def begin(self, graph: Graph) -> None:
        """Axes, title, legend."""

    def mark(self, mark: Mark) -> None:
        """One mark."""
