"""How clean are the first s items, for every s? Between the ideal and a random order."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import precision_scope_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("pixels", "edges")
]
precision_scope_graph(systems).save("precision-scope.svg")
