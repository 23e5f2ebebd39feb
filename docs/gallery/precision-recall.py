"""Which of two systems gives more for each look? Radial means at equal generality, scope lines behind."""

from rankscope.collections import icons
from rankscope.engines.nearest import nearest_ranks
from rankscope.graphs import precision_recall_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("pixels", "edges")
]
precision_recall_graph(systems).save("precision-recall.svg")
precision_recall_graph(systems[1]).save("precision-recall-by-generality.svg")  # one system: a curve per generality
