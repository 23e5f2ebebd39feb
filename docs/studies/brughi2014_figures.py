"""The two figures of the study: mean curves with their bands, and comparison intervals of all cells."""

from __future__ import annotations

from collections.abc import Sequence

from rankscope.curves.curve import Curve
from rankscope.graphs import Graph, comparison_intervals_graph
from rankscope.graphs.axis import Axis
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.intervals.bands import band
from rankscope.statistics.table.query_curves import precision_at_recall

POINTS = 10  # recall levels: "quantiles" in the paper


def figures(systems: Sequence[RelevantRanks], seed: int = 0) -> dict[str, Graph]:
    """Both, by name."""
    return {"figure-1": bands_graph(systems, seed), "figure-2": comparison_intervals_graph(list(systems))}


def bands_graph(systems: Sequence[RelevantRanks], seed: int = 0) -> Graph:
    """Both curves with t bands, and the limits for the whole curve; every query counts for itself, as in the paper."""
    graph = Graph(
        f"Precision at {POINTS} recall levels, {len(systems[0])} queries",
        Axis("recall", "r", domain=(0, 1)),
        Axis("precision", "p", domain=(0, 1)),
        subtitle="shaded: 95% t band, each point by itself; dotted: 95% band for the whole curve",
        summary=f"Mean curves of {' and '.join(each.system for each in systems)} with two kinds of bands.",
    )
    for each in systems:
        curves = precision_at_recall(each, POINTS)
        narrow, wide = band(curves, how="t"), band(curves, seed=seed).drawn()
        graph = graph.band(narrow.drawn(), each.system)
        graph = graph.curve(narrow.curve(), each.system, markers=POINTS)
        for limit in (wide.low, wide.high):
            graph = graph.curve(Curve(wide.x, limit), each.system, markers=0, light=True)
    return graph
