"""How good is each system in each class? Means of AP on coloured tiles."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import class_matrix_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("pixels", "edges")
]
class_matrix_graph(systems, measure="AP", largest=8).save("class-matrix.svg")
