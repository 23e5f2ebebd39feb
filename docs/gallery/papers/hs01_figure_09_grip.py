"""HS01, figure 9: precision = recall over generality, the random level below it, and the gain E* between them."""

from base import base, save

from rankscope.graphs import grip_graph

logos = base()
queries = logos.of_size(8)
graph = grip_graph(queries)
save(
    graph.described(
        title="GRiP: what is left as relevant items grow rare",
        subtitle=f"{logos.caption}; c = 8, d up to {logos.size:,}; {graph.subtitle}",
    ),
    "hs01-figure-09-grip",
)
