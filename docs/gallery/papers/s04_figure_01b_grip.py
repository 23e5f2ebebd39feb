"""S04, figure 1b: the 2-D GRiP graph, the plane of figure 1a laid flat."""

from base import About, Base, base, save

from rankscope.analysis.curves.generality import grip
from rankscope.reports.graphs import grip_graph
from rankscope.reports.graphs.graph import Graph

NAME = "s04-figure-01b-grip"


def draw(logos: Base) -> Graph:
    """`graph grip` of the same queries, the same at every level."""
    graph = grip_graph(logos.ranks)
    return graph.described(
        title="GRiP: p = r at scope = class size",
        subtitle=f"{logos.caption}; {graph.subtitle}",
    )


def about(logos: Base) -> About:
    """How slowly it falls next to the random level."""
    cut = grip(logos.ranks)
    some = [row for row, index in enumerate(cut.index.tolist()) if index in (1.0, 5.0, float(cut.index[-1]))]
    each = [f"{cut.precision[row]:.3f} at G = {cut.index[row]:g} (random {cut.chance[row]:.4f})" for row in some]
    return About(
        title="S04, figure 1b: GRiP",
        alt="Precision = recall over generality, far above the random level except on the left; bands around it.",
        paper="p = r values for scope = relevant class size as a logarithmic function of generality.",
        ours=f"the same {cut.queries[0]:,} queries: {'; '.join(each)}. Bands draw classes.",
        agrees="the axes, with equal room for each doubling of the embedding, and the random level with it.",
        cannot="heights: pictures and features are others.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
