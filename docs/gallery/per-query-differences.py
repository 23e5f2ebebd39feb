"""Does the better system win everywhere? Differences in AP query by query, sorted."""

from rankscope.collections import icons
from rankscope.engines.nearest import nearest_ranks
from rankscope.graphs import per_query_differences_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("pixels", "edges")
]
per_query_differences_graph(systems, measure="AP").save("per-query-differences.svg")
