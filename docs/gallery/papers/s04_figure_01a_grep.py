"""S04, figure 1a: the 3-D GReP graph with the plane p = r, random and s = c results in it."""

from base import About, Base, base, save

from rankscope.analysis.curves.generality import grip
from rankscope.reports.graphs import grep_graph
from rankscope.reports.graphs.graph import Graph

NAME = "s04-figure-01a-grep"


def draw(logos: Base) -> Graph:
    """`graph grep` of all queries that reach the levels shown."""
    graph = grep_graph(logos.ranks)
    return graph.described(
        title="GReP: precision over recall and generality",
        subtitle=f"{logos.caption}; {graph.subtitle}",
    )


def about(logos: Base) -> About:
    """The two lines in the plane."""
    cut = grip(logos.ranks)
    return About(
        title="S04, figure 1a: GReP",
        alt="A surface of precision over recall and generality with a grey plane; the cut is thick, the random level "
        "dashed.",
        paper="the 3-D GReP graph with the p = r plane that holds the GRiP graph: random and s = c results for "
        "different "
        "generality values.",
        ours=f"the {cut.queries[0]:,} of {cut.counted:,} queries that reach G = {cut.index[-1]:g}: s = c results fall "
        "from "
        f"{cut.precision[0]:.3f} at G = {cut.index[0]:g} to {cut.precision[-1]:.3f} at G = {cut.index[-1]:g}, random "
        "ones "
        f"from {cut.chance[0]:.3f} to {cut.chance[-1]:.5f}.",
        agrees="axes, plane and both lines.",
        cannot="which classes the paper's figure rests on its text does not say.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
