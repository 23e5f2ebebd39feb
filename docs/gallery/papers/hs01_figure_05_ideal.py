"""HS01, figure 5: an ideal system runs along p = 1 to the TRIS point, then down r = 1 to the random level."""

from base import About, Base, base, save
from scope_lines import ideal_graph

from rankscope.analysis.curves.precision_recall import ideal_curve
from rankscope.reports.graphs.graph import Graph

NAME = "hs01-figure-05-ideal"
RELEVANT = 8


def draw(logos: Base) -> Graph:
    """The ideal curve of classes of 8."""
    return ideal_graph(logos, RELEVANT, "Ideal retrieval", "w")


def about(logos: Base) -> About:
    """Its corners."""
    curve = ideal_curve(RELEVANT, logos.size)
    corner = int((curve.more["scope"] == RELEVANT).argmax())
    return About(
        title="HS01, figure 5: ideal retrieval",
        alt="A curve along the top of the graph to its corner, then down its right side to the random level.",
        paper="p = 1 for r below 1, the TRIS point (1, 1) where the window equals the cluster, then p falls along "
        "r = 1 to the random level c/d.",
        ours=f"c = {RELEVANT}, d = {logos.size:,}: ({curve.x[corner]:g}, {curve.y[corner]:g}) at w = {RELEVANT}, "
        f"p = {curve.y[-1]:.4f} at w = d. `graph precision-recall` draws it behind every curve.",
        agrees="the course and both its ends.",
        cannot="it begins at r = 1/c, the first hit: nothing lies between that and r = 0, where the text lets it "
        "begin.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
