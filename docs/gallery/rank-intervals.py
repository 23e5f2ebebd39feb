"""Which places in a list of systems are chance? Two kinds of features under two distances, one query in forty."""

from dataclasses import replace

import numpy as np

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import rank_intervals_graph

sample = icons()
systems = []
for space in ("pixels", "edges"):
    for metric in ("cosine", "l1", "l2"):
        ranks = nearest_ranks(sample.features(space), sample.class_of_item, metric, sample.items)
        systems.append(replace(ranks, system=f"{space}, {metric}").take(np.arange(0, len(ranks), 40)))
rank_intervals_graph(systems, measure="AP").save("rank-intervals.svg")
