"""Which of two systems gives more for each look? Radial means at equal generality, scope lines behind."""

import numpy as np

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import precision_recall_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("pixels", "edges")
]
precision_recall_graph(systems).save("precision-recall.svg")
precision_recall_graph(systems, group="G=7").save("precision-recall-bin.svg")  # of one generality index, interpolated
precision_recall_graph(systems[1]).save("precision-recall-by-size.svg")  # one system: a curve for each class size
precision_recall_graph(systems[1].take(np.array([9]))).save("precision-recall-one-query.svg")  # a marker at each hit
