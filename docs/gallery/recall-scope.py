"""How much of what is there has been seen after s items? Between the ideal and a random order."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import recall_scope_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("pixels", "edges")
]
recall_scope_graph(systems).save("recall-scope.svg")
