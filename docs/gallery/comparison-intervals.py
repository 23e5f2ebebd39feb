"""In which classes do systems differ? Means of AP with intervals to compare by eye."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import comparison_intervals_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("pixels", "edges")
]
comparison_intervals_graph(systems, measure="AP", largest=8).save("comparison-intervals.svg")
