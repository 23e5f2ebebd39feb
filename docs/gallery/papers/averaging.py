"""What HS01's figure 10 and S04's figure 3 share: one class size, averaged in three ways."""

import numpy as np
from base import Base

from rankscope.curves import precision_boxes, radial_curves, recall_boxes, scope_line
from rankscope.curves.curve import Curve
from rankscope.graphs import Axis, Graph
from rankscope.graphs.kinds.shared.describing import chosen_scopes

FEW = 5  # a point of fewer queries is hollow


def averaged(logos: Base, relevant: int, title: str) -> Graph:
    """The radial mean, and the means in ten boxes of recall and of precision."""
    queries = logos.of_size(relevant)
    scopes = np.union1d(np.arange(1, 4 * relevant + 1), chosen_scopes(logos.size))
    (radial,) = radial_curves(queries, scopes=scopes)
    relative = radial.curve.more["a"]
    marked = [row for row, a in enumerate(relative.tolist()) if a in (0.25, 0.5, 1, 2, 4)]
    up = precision_boxes(queries)
    few = np.zeros(len(up), dtype=np.bool_) if up.queries is None else up.queries < FEW
    graph = Graph(
        title,
        Axis("recall", "r", domain=(0, 1)),
        Axis("precision", "p", domain=(0, 1)),
        subtitle=f"{logos.caption}; {len(queries)} queries with c = {relevant}, d = {logos.size:,}; "
        f"{f'open: fewer than {FEW} queries' if few.any() else 'markers on scope lines'}",
        ratio=0.85,
    )
    graph = graph.guides([scope_line(a, points=2) for a in (0.25, 0.5, 1, 2, 4)])
    graph = graph.curve(radial.curve, "radial", markers=marked)
    across = _there(recall_boxes(queries))
    graph = graph.curve(across, "recall boxes", markers=range(len(across)))
    return graph.points(up, "precision boxes", open=few)


def _there(curve: Curve) -> Curve:
    """The boxes that hold points: of 8 relevant items only eight of ten boxes of recall do."""
    some = np.isfinite(curve.y)
    return Curve(curve.x[some], curve.y[some])
