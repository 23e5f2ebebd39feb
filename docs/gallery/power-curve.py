"""How many queries does it take to distinguish two systems? Power over the number of queries, from 1 in 40."""

import numpy as np

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import power_curve_graph

sample = icons()
systems = []
for space in ("pixels", "edges"):
    ranks = nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    systems.append(ranks.take(np.arange(0, len(ranks), 40)))
power_curve_graph(systems, measure="AP").save("power-curve.svg")
