"""What is left of the quality when the collection grows tenfold? Exact to the left of today, forecast to the right."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import forecast_graph

sample = icons()
edges = nearest_ranks(
    sample.features("edges"), sample.class_of_item, "cosine", sample.items, keep_scores=True, system="edges"
)
forecast_graph(edges, to="10x", measure="AP").save("forecast.svg")
