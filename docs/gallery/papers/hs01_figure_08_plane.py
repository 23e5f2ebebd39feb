"""HS01, figure 8: the plane p = r cuts the surface of precision over recall and generality; the cut is GRiP."""

from pathlib import Path

import numpy as np
from base import WIDTH, base

from rankscope.curves import grep_surface, grip
from rankscope.graphs import Axis, Graph
from rankscope.graphs.canvases.matplotlib3d import Matplotlib3dCanvas
from rankscope.graphs.look import Look

RELEVANT = 8
GREY = "#4d4d4d"

logos = base()
queries = logos.of_size(RELEVANT)
cut = grip(queries)
surface = grep_surface(queries, 2.0 ** np.arange(-3, 7))  # from one item to 64 c
index = np.broadcast_to(surface.index[:, None], surface.recall.shape)
graph = Graph(
    "The plane p = r through precision, recall and generality",
    Axis("generality index", "G = log2(d/c)", domain=(0.5, float(cut.index.max()) + 0.2)),
    Axis("recall", "r", domain=(0, 1)),
    subtitle=f"{logos.caption}; {len(queries)} queries with c = 8; random distractors left out; grey: the plane p = r",
).surface(index, surface.recall, surface.precision, "pixels", Axis("precision", "p", domain=(0, 1)))


def sheet(canvas: Matplotlib3dCanvas, start: float | None, end: float | None, layer: int) -> None:
    """The part of the plane between two recalls, where None is the cut: below the surface, or above it."""
    first, last = (cut.recall if each is None else np.full(cut.index.size, each) for each in (start, end))
    recall = np.linspace(first, last, num=12)
    index = np.broadcast_to(cut.index, recall.shape)
    canvas.axes.plot_surface(
        index, recall, recall, color=GREY, alpha=0.3, shade=False, linewidth=0, rstride=1, cstride=1, zorder=layer
    )
    border = np.concatenate([recall[:, 0], recall[-1, 1:], recall[::-1, -1]])
    along = np.concatenate([index[:, 0], index[-1, 1:], index[::-1, -1]])
    canvas.axes.plot(along, border, border, color=GREY, linewidth=0.8, zorder=layer)


for suffix in ("svg", "png"):
    canvas = Matplotlib3dCanvas(Look.of(width=WIDTH))
    graph.draw(canvas)
    canvas.axes.computed_zorder = False
    canvas.axes.set_box_aspect((1.25, 1.0, 0.8), zoom=1.1)
    canvas.axes.set_position((0.0, 0.03, 0.93, 0.9))
    canvas.axes.set_yticks([0.2, 0.4, 0.6, 0.8, 1.0])
    sheet(canvas, 0.0, None, layer=-1)
    sheet(canvas, None, 1.0, layer=5)
    Path(f"hs01-figure-08-plane.{suffix}").write_bytes(canvas.bytes(suffix))
print("hs01-figure-08-plane")
