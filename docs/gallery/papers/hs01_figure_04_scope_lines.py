"""HS01, figure 4: every scope is a straight line through the origin, and a curve meets each of them once."""

import numpy as np
from base import base, save

from rankscope.curves import radial_curves
from rankscope.curves.curve import Curve
from rankscope.graphs import Axis, Graph
from rankscope.graphs.kinds.shared.describing import chosen_scopes

RELEVANT = 8
SCOPES = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128)

logos = base()
queries = logos.of_size(RELEVANT)
every = np.unique([*range(1, 129), *chosen_scopes(logos.size)])
(radial,) = radial_curves(queries, scopes=every)
lines = [
    Curve(np.array([0.0, min(1.0, s / RELEVANT)]), np.array([0.0, min(1.0, RELEVANT / s)]), f"s = {s}") for s in SCOPES
]
graph = Graph(
    "Each scope is a line through the origin",
    Axis("recall", "r", domain=(0, 1)),
    Axis("precision", "p", domain=(0, 1)),
    subtitle=f"{logos.caption}; radial mean of {len(queries)} queries with c = 8, d = {logos.size:,}; "
    "all results of one scope s lie on one line",
    ratio=0.85,
)
graph = graph.guides(lines).curve(radial.curve, "pixels", markers=[s - 1 for s in SCOPES])
save(graph, "hs01-figure-04-scope-lines")
