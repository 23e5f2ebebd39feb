"""HS01, figure 10: the average p, r curve of three queries, along lines of equal window."""

import numpy as np
from base import About, Base, base, plane, save, spread_queries

from rankscope.analysis.curves.averaging import radial_lattice
from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.curves.precision_recall import scope_line
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.systems import generality_words

NAME = "hs01-figure-10-average"
RELEVANT = 8
WINDOWS = (2, 4, 8, 16, 32)  # a quarter of the cluster to four times it
NAMES = ("low", "middle", "high")


def chosen(logos: Base) -> RelevantRanks:
    """A query that does badly, one in the middle and one that does well."""
    return spread_queries(logos.of_size(RELEVANT), [0.3, 0.5, 0.75])


def draw(logos: Base) -> Graph:
    """Three queries and their average, with a marker on each line."""
    queries = chosen(logos)
    graph = plane(
        "The average of three queries along lines of equal window",
        f"{logos.caption}; queries {', '.join(queries.queries)} at 30, 50 and 75 % of the "
        f"{len(logos.of_size(RELEVANT))} "
        f"with {generality_words([queries])}; windows c/4, c/2, c, 2c, 4c",
    )
    graph = graph.guides([scope_line(window / RELEVANT, points=2) for window in WINDOWS])
    graph = graph.curve(radial_lattice(queries, WINDOWS), "average", markers=range(len(WINDOWS)))
    for row, name in enumerate(NAMES):
        hits = np.array([queries.hits(window)[row] for window in WINDOWS])
        line = Curve(hits / RELEVANT, hits / np.array(WINDOWS))
        graph = graph.curve(line, name, f"{hits[2]} of {RELEVANT} at w = c", markers=range(len(WINDOWS)), light=True)
    return graph


def about(logos: Base) -> About:
    """The average at each window, and that it is that of the hits."""
    queries = chosen(logos)
    mean = radial_lattice(queries, WINDOWS)
    points = ", ".join(f"({r:.3f}, {p:.3f})" for r, p in zip(mean.x, mean.y, strict=True))
    on = np.allclose(mean.y * np.array(WINDOWS), mean.x * RELEVANT)
    return About(
        title="HS01, figure 10: the average of three queries",
        alt="Three light curves and their average, all with markers on the same five lines through the origin.",
        paper="the average p, r curve of 3 individual retrieval tests with cluster size 8, at different windows "
        "relative to the cluster.",
        ours=f"three queries with c = {RELEVANT} and {', '.join(map(str, queries.hits(RELEVANT)))} hits at w = c; "
        "their "
        f"average at w = {', '.join(map(str, WINDOWS))}: {points}.",
        agrees=f"each average lies {'on' if on else 'not on'} the line of its window, between the three results there.",
        cannot="which three queries, and which windows, the text does not say.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
