"""What is the whole surface of precision over recall and generality? Its cut p = r is GRiP."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import grep_graph

sample = icons()
edges = nearest_ranks(sample.features("edges"), sample.class_of_item, "cosine", sample.items, system="edges")
graph = grep_graph(edges)
graph.save("grep.html")  # a heat map to point at
graph.save("grep.svg")  # three dimensions; needs rankscope[plots]
