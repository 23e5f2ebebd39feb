"""HS01, figure 12: precision over a doubling window, between the ceiling of a known class size and the random floor."""

import numpy as np
from base import base, fours, save

from rankscope.curves import ceiling, random_floor, window_mean
from rankscope.curves.curve import Curve, Region
from rankscope.graphs import Axis, Graph
from rankscope.graphs.kinds.shared.describing import chosen_scopes

RELEVANT = 8

logos = base()
queries = logos.of_size(RELEVANT)
mean = window_mean(queries, chosen_scopes(logos.size))
fine = np.geomspace(1, logos.size, 200)
top = ceiling(RELEVANT, fine)
floor = float(2 ** random_floor(logos.size, RELEVANT).y[0])
graph = Graph(
    "Precision over a doubling window, class size known",
    Axis("window", "s", "log2", domain=(1, logos.size), ticks=fours(1, logos.size)),
    Axis("precision", "p", "log2", domain=(2.0 ** np.floor(np.log2(floor)), 1)),
    subtitle=f"{logos.caption}; mean of {len(queries)} queries with c = {RELEVANT}, d = {logos.size:,}",
)
beyond, limit = fine[fine >= RELEVANT], 2 ** top.y[fine >= RELEVANT]
graph = graph.area(Region(beyond, limit, np.ones(limit.size)), f"out of reach: more than {RELEVANT} hits")
graph = graph.guides([Curve(beyond, limit, "ceiling c/s")], at=0.45)
level = Curve(fine, np.full(fine.size, floor), f"random floor c/d = 1/{1 / floor:,.0f}")
graph = graph.guides([level], dashed=True, at=0.02)
graph = graph.curve(Curve(2**mean.x, 2**mean.y), "pixels")
save(graph, "hs01-figure-12-window-known")
