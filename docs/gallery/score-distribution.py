"""Can a threshold on the score part relevant items from distractors?"""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import score_distribution_graph

sample = icons()
edges = nearest_ranks(
    sample.features("edges"), sample.class_of_item, "cosine", sample.items, keep_scores=True, system="edges"
)
score_distribution_graph(edges).save("score-distribution.svg")
