"""What HS01's figures 12 and 13 share: precision over a doubling window, between ceiling and floor."""

import numpy as np
from base import Base, fours

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.curves.window import ceiling, random_floor, window_mean
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.systems import chosen_scopes


def window_axes(logos: Base, floor: float, title: str, subtitle: str) -> Graph:
    """Both axes in powers of two."""
    return Graph(
        title,
        Axis("window", "w", "log2", domain=(1, logos.size), ticks=fours(1, logos.size)),
        Axis("precision", "p", "log2", domain=(2.0 ** np.floor(np.log2(floor)), 1)),
        subtitle=subtitle,
        ratio=0.85,
    )


def bounded(logos: Base, relevant: int, queries: RelevantRanks, title: str, subtitle: str, name: str) -> Graph:
    """The mean of some queries of one class size between the ceiling c/w and the random floor c/d."""
    fine = np.geomspace(1, logos.size, 200)
    top = 2 ** ceiling(relevant, fine).y
    floor = float(2 ** random_floor(logos.size, relevant).y[0])
    graph = window_axes(logos, floor, title, subtitle)
    beyond = fine >= relevant
    graph = graph.area(
        Region(fine[beyond], top[beyond], np.ones(int(beyond.sum()))), f"out of reach: more than {relevant} hits"
    )
    graph = graph.guides([Curve(fine[beyond], top[beyond], "ideal c/w")], at=0.45)
    level = Curve(fine, np.full(fine.size, floor), f"random floor c/d = 1/{1 / floor:,.0f}")
    graph = graph.guides([level], dashed=True, at=0.02)
    mean = precision_over_windows(queries)
    return graph.curve(mean, name)


def precision_over_windows(queries: RelevantRanks) -> Curve:
    """Mean precision at windows dense enough for the eye."""
    mean = window_mean(queries, chosen_scopes(int(queries.collection.min())))
    return Curve(2**mean.x, 2**mean.y)
