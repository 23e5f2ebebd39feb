"""S04, figure 1: GRiP tells two systems apart at every generality, above the same random level."""

import numpy as np
from base import base, save

from rankscope.curves import grip
from rankscope.curves.curve import Region
from rankscope.curves.sizes import generality_index
from rankscope.graphs import grip_graph

REACH = 10  # only queries that reach this generality index, so that every point is of the same queries

logos, others = base("pixels"), base("edges")
reaching = np.flatnonzero(generality_index(logos.ranks) >= REACH)
lower = grip(logos.ranks.take(reaching), levels=range(1, REACH + 1))
fine = np.linspace(1, REACH, 200)
gain = Region(fine, 2.0**-fine, np.interp(fine, lower.index, lower.precision))
graph = grip_graph([logos.ranks, others.ranks], reach=REACH).area(gain, "E* of pixels")
save(
    graph.described(
        x=graph.x.over(0, REACH + 0.3),
        title="GRiP of two systems, the same queries in every point",
        subtitle=f"{logos.caption} and edges; {graph.subtitle}",
    ),
    "s04-figure-01-grip",
)
