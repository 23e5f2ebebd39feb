"""What is left of it at twice the class size? Precision on the left, recall on the right."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import grnp_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("pixels", "edges")
]
grnp_graph(systems, n=2).save("grnp.svg")
