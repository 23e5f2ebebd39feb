"""What is left of the quality when relevant items grow rare? Precision = recall at scope c over generality."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import grip_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("pixels", "edges")
]
grip_graph(systems).save("grip.svg")
grip_graph(systems, members="varying").save("grip-varying.svg")  # whoever reaches a level: rises as easy ones are left
