"""What can be read where class sizes are unknown? On log2 scales a curve settles on the diagonal of its hits."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import precision_window_graph

sample = icons()
edges = nearest_ranks(sample.features("edges"), sample.class_of_item, "cosine", sample.items, system="edges")
precision_window_graph(edges).save("precision-window.svg")
precision_window_graph(edges, queries=edges.queries[:4]).save("precision-window-queries.svg")
precision_window_graph(edges, relevant=7).save("precision-window-known.svg")
