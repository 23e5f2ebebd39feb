"""HS01, figure 8: the space of precision, recall and generality, with the plane p = r and what lies in it."""

from base import About, Base, base, save

from rankscope.analysis.curves.generality import grip
from rankscope.reports.graphs import grep_graph
from rankscope.reports.graphs.graph import Graph

NAME = "hs01-figure-08-plane"
RELEVANT = 8


def draw(logos: Base) -> Graph:
    """`graph grep` of the queries with 8 relevant items."""
    graph = grep_graph(logos.of_size(RELEVANT))
    return graph.described(
        title="The plane p = r through precision, recall and generality",
        subtitle=f"{logos.caption}; c = {RELEVANT}; {graph.subtitle}",
    )


def about(logos: Base) -> About:
    """The ends of the line in the plane."""
    cut = grip(logos.of_size(RELEVANT))
    above = bool((cut.precision > cut.chance).all())
    return About(
        title="HS01, figure 8: the plane p = r",
        alt="A surface of precision over recall and generality, cut by a grey plane; the cut is thick, the random "
        "level dashed.",
        paper="the 3-dimensional performance space with the p = r plane, and in it random and w = c results for "
        "different generality values.",
        ours=f"the surface of the {len(logos.of_size(RELEVANT))} queries with c = {RELEVANT}; in the plane w = c "
        "results "
        f"(thick), {cut.precision[0]:.3f} at G = {cut.index[0]:g} to {cut.precision[-1]:.3f} at G = "
        f"{cut.index[-1]:.2f}, "
        f"and the random level (dashed), {cut.chance[0]:.3f} to {cut.chance[-1]:.5f}.",
        agrees=f"axes, plane and both lines; w = c results lie {'above' if above else 'not always above'} random ones.",
        cannot="the surface around the plane is ours: the text names the plane and its two lines only.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
