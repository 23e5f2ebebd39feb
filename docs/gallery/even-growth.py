"""Does quality stay when relevant items grow as fast as distractors do? When only these grow it falls."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import even_growth_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("edges",)
]
even_growth_graph(systems).save("even-growth.svg")
