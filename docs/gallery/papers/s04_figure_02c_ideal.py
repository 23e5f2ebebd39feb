"""S04, figure 2c: an ideal system runs along p = 1 to the TRIS point, then down r = 1 to the random level."""

from base import About, Base, base, save
from scope_lines import ideal_graph

from rankscope.analysis.curves.precision_recall import ideal_curve
from rankscope.reports.graphs.graph import Graph

NAME = "s04-figure-02c-ideal"
RELEVANT = 4


def draw(logos: Base) -> Graph:
    """The ideal curve of classes of 4, as in 2a."""
    return ideal_graph(logos, RELEVANT, "Ideal retrieval: TRIS")


def about(logos: Base) -> About:
    """Its end."""
    curve = ideal_curve(RELEVANT, logos.size)
    return About(
        title="S04, figure 2c: ideal retrieval",
        alt="A curve along the top of the graph to its corner, then down its right side to the random level.",
        paper="p, r values of ideal retrieval: p = 1 for r below 1; beyond scope = class size p drops towards the "
        "random "
        "level c/d.",
        ours=f"c = {RELEVANT}, d = {logos.size:,}: p = {curve.y[-1]:.4f} at s = d.",
        agrees="the course and both its ends.",
        cannot="it begins at r = 1/c, the first hit.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
