"""A surface of precision over generality and recall in three dimensions, by matplotlib: Vega-Lite cannot draw it.

With it the plane p = r, and in the plane GRiP, where it cuts the surface, and the level of a random order.
"""

from __future__ import annotations

import io
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import MissingExtra
from rankscope.reports.graphs.layout import wrap_text
from rankscope.reports.graphs.marks import SurfaceMark
from rankscope.reports.graphs.style import Look

if TYPE_CHECKING:
    from rankscope.reports.graphs.graph import Graph
    from rankscope.reports.graphs.marks import Mark


INCH = 96.0
DENSITY = 300
ELEVATION, AZIMUTH = 26, -62  # from the side of high recall, down the slope
GREY, THICK = "#4d4d4d", "#d55e00"
SHEET = 12  # steps of the plane between two of its borders
BEHIND, BEFORE, ON_TOP = -1, 5, 10
WORDS = "; grey: the plane p = r; thick: GRiP, where it cuts the surface; dashed: random level"
STRETCH = 1.2  # DejaVu Sans is so much wider than Arial
PLOT, LEADING = 0.83, 1.3  # height of the plot in widths, and of a line of text in its size


class Matplotlib3dCanvas:
    """Draws surfaces; other marks belong to flat graphs and are left out."""

    def __init__(self, look: Look) -> None:
        self.look = look

    def begin(self, graph: Graph) -> None:
        """A figure with three axes."""
        look = self.look
        lines = self._heading_lines(graph)
        plot = look.width * PLOT
        tall = plot + sum(size * LEADING for _, size, _ in lines)
        self.figure = import_module("matplotlib.figure").Figure(
            figsize=(look.width / INCH, tall / INCH), facecolor=look.theme.paper
        )
        place = (0.0, 0.02, 0.93, plot / tall)
        self.axes = self.figure.add_axes(place, projection="3d", facecolor=look.theme.paper)
        self.axes.view_init(ELEVATION, AZIMUTH)
        self.axes.set_box_aspect((1.25, 1.0, 0.8), zoom=min(1.06, 1.4 - 154 / look.width))  # room for the words
        self.axes.computed_zorder = False
        y = 1 - 4 / tall
        for line, size, weight in lines:
            style = {"size": size * 72 / INCH, "weight": weight, "color": look.theme.ink}
            self.figure.text(0.012, y, line, va="top", **style)
            y -= size * LEADING / tall
        self._labels(graph)

    def mark(self, mark: Mark) -> None:
        """A surface with its mesh."""
        if not isinstance(mark, SurfaceMark):
            return
        import matplotlib

        colours = matplotlib.colormaps["cividis"](np.nan_to_num(mark.z))
        self.axes.plot_surface(
            mark.x,
            mark.y,
            mark.z,
            facecolors=colours,
            rstride=1,
            cstride=1,
            shade=False,
            linewidth=0.35,
            edgecolor=self.look.theme.ink,
            antialiased=True,
            alpha=0.92,
        )
        cut = _cut(mark)
        if cut is not None:
            self._plane(mark.x[:, 0], cut)

    def _plane(self, index: FloatArray, cut: FloatArray) -> None:
        """The plane p = r, below the surface and above it, with both lines in it."""
        self._sheet(index, np.zeros(index.size), cut, BEHIND)
        self._sheet(index, cut, np.ones(index.size), BEFORE)
        self.axes.plot(index, cut, cut + 0.004, color=THICK, linewidth=1.8, zorder=ON_TOP)
        fine = np.linspace(float(index.min()), float(index.max()), 80)
        level = 2.0**-fine
        self.axes.plot(
            fine, level, level, color=self.look.theme.ink, linewidth=1.0, linestyle=(0, (4, 2)), zorder=ON_TOP
        )

    def _sheet(self, index: FloatArray, start: FloatArray, end: FloatArray, layer: int) -> None:
        """The part of the plane between two recalls at each G, with its border."""
        recall = np.linspace(start, end, num=SHEET)
        x = np.broadcast_to(index, recall.shape)
        style = {"shade": False, "linewidth": 0, "rstride": 1, "cstride": 1, "zorder": layer}
        self.axes.plot_surface(x, recall, recall, color=GREY, alpha=0.25, **style)
        sides: list[Any] = [(slice(None), 0), (-1, slice(1, None)), (slice(None, None, -1), -1)]
        border, along = (np.concatenate([grid[side] for side in sides]) for grid in (recall, x))
        self.axes.plot(along, border, border, color=GREY, linewidth=0.8, zorder=layer)

    def _points(self, small: bool = False) -> float:
        return (self.look.small if small else self.look.text) * 72 / INCH

    def _heading_lines(self, graph: Graph) -> list[tuple[str, float, str]]:
        """Lines of the title and of the subtitle, each with its size and weight."""
        look = self.look
        room = (look.width - 8) / STRETCH
        title = wrap_text(graph.title, look.large, room, bold=True)
        cuts = [_cut(mark) for mark in graph.marks if isinstance(mark, SurfaceMark)]
        words = WORDS if any(each is not None for each in cuts) else ""
        subtitle = wrap_text(f"{graph.subtitle}{words}", look.text, room)
        return [*((line, look.large, "bold") for line in title), *((line, look.text, "normal") for line in subtitle)]

    def _labels(self, graph: Graph) -> None:
        ink = self.look.theme.ink
        sides = (("x", graph.x, self.axes.xaxis), ("y", graph.y, self.axes.yaxis), ("z", graph.z, self.axes.zaxis))
        for name, axis, side in sides:
            if axis is None:
                continue
            getattr(self.axes, f"set_{name}label")(axis.title, size=self._points(), color=ink, labelpad=-4)
            low, high = axis.domain or (0.0, 1.0)
            getattr(self.axes, f"set_{name}lim")(*((high, low) if name == "y" else (low, high)))
            side.set_pane_color((0.5, 0.5, 0.5, 0.06))
            side._axinfo["grid"].update({"linewidth": 0.3, "color": self.look.theme.faint})
            self.axes.tick_params(name, labelsize=self._points(small=True), colors=ink, pad=-2)


def is_installed() -> bool:
    """Whether surfaces can be drawn in three dimensions."""
    return find_spec("matplotlib") is not None


def _cut(mark: SurfaceMark) -> FloatArray | None:
    """Recall = precision at each G, where the mesh has a column of it."""
    same = np.isclose(mark.y, mark.z, rtol=1e-9, atol=1e-12) & (mark.y > 0)
    column = np.flatnonzero(same.all(axis=0))
    return np.asarray(mark.y[:, int(column[-1])]) if column.size else None


def picture(graph: Graph, look: Look, format: str) -> bytes:
    """A graph with a surface as svg, pdf or png; equal graphs give equal bytes."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("matplotlib", "plots") from None
    canvas, target = Matplotlib3dCanvas(look), io.BytesIO()
    plain: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
    with matplotlib.rc_context({"font.family": "DejaVu Sans", "svg.hashsalt": "rankscope", "pdf.fonttype": 42}):
        graph.draw(canvas)
        canvas.figure.savefig(target, format=format, dpi=DENSITY, metadata=plain[format])
    return target.getvalue()
