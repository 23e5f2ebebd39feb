"""HS01, figure 11: the conventional graph of precision over scope, on plain axes."""

import numpy as np
from base import About, Base, base, save

from rankscope.analysis.curves.scope import precision_scope
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.systems import with_random_level

NAME = "hs01-figure-11-scope"
RELEVANT, LAST = 8, 200


def draw(logos: Base) -> Graph:
    """Mean precision of the queries with 8 relevant items; the random level lies on the axis."""
    queries = logos.of_size(RELEVANT)
    graph = Graph(
        "Precision over scope, as it is usually drawn",
        Axis("window", "w", domain=(0, LAST)),
        Axis("precision", "p", domain=(0, 1)),
        subtitle=f"{logos.caption}; mean of {len(queries)} queries with c = {RELEVANT}; d = {logos.size:,} is not to "
        "be seen",
    )
    graph = with_random_level(graph, queries)
    return graph.curve(precision_scope(queries, np.arange(1, LAST + 1)), "pixels")


def about(logos: Base) -> About:
    """Where the curve begins and ends, and how near the axis the random level lies."""
    curve = precision_scope(logos.of_size(RELEVANT), np.arange(1, LAST + 1))
    level = RELEVANT / logos.size
    return About(
        title="HS01, figure 11: precision over scope",
        alt="A curve that falls from the left; the random level coincides with the axis.",
        paper="the conventional graph of precision as a function of scope; with a large database the random level is "
        "near zero and hard to show.",
        ours=f"the {len(logos.of_size(RELEVANT))} queries with c = {RELEVANT}: {curve.y[0]:.3f} at w = 1, "
        f"{curve.y[RELEVANT - 1]:.3f} at w = 8, {curve.y[-1]:.3f} at w = {LAST}; random level {level:.4f}.",
        agrees=f"the random level is {level:.2%} of the height of the graph: not to be seen.",
        cannot="nothing.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
