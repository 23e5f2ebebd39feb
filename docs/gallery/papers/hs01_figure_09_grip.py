"""HS01, figure 9: precision = recall over generality, the random level below it, and the gain E* between them."""

import numpy as np
from base import About, Base, base, save

from rankscope.analysis.curves.generality import generality_table, grip
from rankscope.analysis.statistics.generality_estimate import generality_estimate
from rankscope.reports.graphs import grip_graph
from rankscope.reports.graphs.graph import Graph

NAME = "hs01-figure-09-grip"
RELEVANT = 8


def draw(logos: Base) -> Graph:
    """`graph grip` of the queries with 8 relevant items."""
    graph = grip_graph(logos.of_size(RELEVANT))
    return graph.described(
        title="GRiP: what is left as relevant items grow rare",
        subtitle=f"{logos.caption}; c = {RELEVANT}, d up to {logos.size:,}; {graph.subtitle}",
    )


def about(logos: Base) -> About:
    """E* along the curve, and its interval in the whole collection."""
    queries = logos.of_size(RELEVANT)
    curve, sure = grip(queries), generality_estimate(generality_table(queries))
    best = int(np.argmax(curve.gain))
    falls = bool((np.diff(curve.precision) < 0).all())
    return About(
        title="HS01, figure 9: p = r over generality",
        alt="Precision = recall falls slowly over generality; the random level falls much faster; the gain is shaded.",
        paper="p = r values at window = cluster size as a logarithmic function of generality; E* is the shaded area "
        "above the random level.",
        ours=f"{len(queries)} queries of {len(set(queries.classes or ()))} classes. E* is {curve.gain[0]:.3f} at G = "
        "1, "
        f"largest at G = {curve.index[best]:g} ({curve.gain[best]:.3f}), and {curve.gain[-1]:.3f} in the whole "
        "collection, "
        f"where p = r is {curve.precision[-1]:.3f} ({sure.low[-1]:.3f} to {sure.high[-1]:.3f}, over classes).",
        agrees=f"the curve {'falls' if falls else 'does not always fall'} as G grows, and E* nears p = r where g is "
        "small.",
        cannot="heights: pictures and features are others.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
