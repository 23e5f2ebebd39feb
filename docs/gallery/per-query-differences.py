"""Does the better system win everywhere? Differences in AP query by query, sorted; of one query in ten."""

import numpy as np

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import per_query_differences_graph

sample = icons()
systems = []
for space in ("pixels", "edges"):
    ranks = nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    systems.append(ranks.take(np.arange(0, len(ranks), 10)))
per_query_differences_graph(systems, measure="AP").save("per-query-differences.svg")
