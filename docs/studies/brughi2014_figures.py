"""The figures of the paper that can be made again: 2, pictures of the classes; 3a, bands; 3b, comparison intervals."""

from __future__ import annotations

import io
from collections.abc import Sequence

from brughi2014_data import Experiment

from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.statistics.bands import band
from rankscope.analysis.statistics.query_curves import precision_at_recall
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs import comparison_intervals_graph
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.systems import generality_words, with_random_level

SHOWN, SIDE, GAP = 4, 128, 6  # pictures of a class, and pixels
POINTS = 10  # recall levels, N_P: "quantiles" in the paper


def figures(systems: Sequence[RelevantRanks], seed: int = 0, levels: int = POINTS) -> dict[str, Graph]:
    """Both graphs, by the paper's numbers."""
    return {"figure-3a": bands_graph(systems, seed, levels), "figure-3b": comparison_intervals_graph(list(systems))}


def examples_sheet(given: Experiment) -> bytes:
    """Figure 2: the first queries of each class, a row for each, as PNG."""
    from PIL import Image as Picture

    sheet = Picture.new("RGB", (SHOWN * SIDE, len(given.classes) * SIDE), "white")
    for row, label in enumerate(given.classes):
        own = [each for each in given.queries.tolist() if given.labels[each] == label][:SHOWN]
        for column, item in enumerate(own):
            picture = Picture.fromarray(given.images[item].rgb)
            picture.thumbnail((SIDE - GAP, SIDE - GAP))
            sheet.paste(picture, (column * SIDE, row * SIDE))
    target = io.BytesIO()
    sheet.save(target, format="PNG")
    return target.getvalue()


def bands_graph(systems: Sequence[RelevantRanks], seed: int = 0, levels: int = POINTS) -> Graph:
    """Both curves with t bands, and the limits for the whole curve; every query counts for itself, as in the paper."""
    graph = Graph(
        f"Precision at {levels} recall levels, {len(systems[0])} queries",
        Axis("recall", "r", domain=(0, 1)),
        Axis("precision", "p", domain=(0, 1)),
        subtitle=f"{generality_words(systems)}; shaded: 95% t band, each point by itself; "
        "dotted: 95% band for the whole curve",
        summary=f"Mean curves of {' and '.join(each.system for each in systems)} with two kinds of bands.",
    )
    for each in systems:
        curves = precision_at_recall(each, levels)
        narrow, wide = band(curves, how="t"), band(curves, seed=seed).drawn()
        graph = graph.band(narrow.drawn(), each.system)
        graph = graph.curve(narrow.curve(), each.system, markers=levels)
        for limit in (wide.low, wide.high):
            graph = graph.curve(Curve(wide.x, limit), each.system, markers=0, light=True)
    return with_random_level(graph, systems[0])
